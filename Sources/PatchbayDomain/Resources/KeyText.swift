public import PatchbayCore

/// The key of a row as one word of text: its values separated by slashes. White space, slashes, percent signs and
/// control characters are percent-encoded.
public struct KeyText: Hashable, Sendable {
    /// The word, such as `583231` or `octocat/hello%20world`.
    public let text: String

    /// Creates the word for a key of one or several values. A nested key is a programming error.
    public init(_ key: Key) {
        text = key.values.map {
            switch $0 {
            case .null: ""
            case .integer(let number): String(number)
            case .text(let text): KeyText.encoded(text)
            case .compound: preconditionFailure("a key is not nested")
            }
        }.joined(separator: "/")
    }

    /// Reads the key of a resource; nil for a text that ``init(_:)`` does not write.
    public static func key(_ text: String, of resource: Resource) -> Key? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == resource.key.count else { return nil }
        var values: [Key] = []
        for (part, field) in zip(parts, resource.key) {
            if field.type.fieldType == .integer {
                guard let number = Int64(part) else { return nil }
                values.append(.integer(number))
            } else {
                guard let value = decoded(part) else { return nil }
                values.append(.text(value))
            }
        }
        return values.count == 1 ? values[0] : .compound(values)
    }

    private static func encoded(_ text: String) -> String {
        guard text.utf8.contains(where: mustBeEncoded) else { return text }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if mustBeEncoded(byte) {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func mustBeEncoded(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || byte == 0x25 || byte == 0x2F
    }

    private static func decoded(_ text: Substring) -> String? {
        guard text.utf8.contains(0x25) else { return String(text) }
        var bytes: [UInt8] = [], rest = text.utf8
        while let byte = rest.popFirst() {
            guard byte == 0x25 else {
                bytes.append(byte)
                continue
            }
            guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Item {
    /// ``key`` as one word.
    public var keyText: String { KeyText(key).text }
}
