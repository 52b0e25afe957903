package import PatchbayCore

/// The key of a row as one word of text: its values separated by slashes. White space, slashes, percent signs and
/// control characters are percent-encoded.
package struct KeyText: Hashable, Sendable {
    /// The word, such as `583231` or `octocat/hello%20world`.
    package let text: String

    /// Creates the word for a key of one or several values. A nested key is a programming error.
    package init(_ key: Key) {
        text =
            if case .compound(let values) = key {
                values.map(KeyText.word).joined(separator: "/")
            } else {
                KeyText.word(key)
            }
    }

    private static func word(_ value: Key) -> String {
        switch value {
        case .null: ""
        case .integer(let number): String(number)
        case .text(let text): PercentEncoding.encoded(text, where: mustBeEncoded)
        case .compound: preconditionFailure("a key is not nested")
        }
    }

    /// A word that ``init(_:)`` wrote.
    package init(stored text: String) { self.text = text }

    /// Reads the key of a resource; nil for a text that ``init(_:)`` does not write.
    package static func key(_ text: String, of resource: Resource) -> Key? {
        let parts = DefinitionWords.parts(text, at: "/")
        guard parts.count == resource.key.count else { return nil }
        var values: [Key] = []
        for (part, field) in zip(parts, resource.key) {
            if field.type.fieldType == .integer {
                guard let number = Int64(part) else { return nil }
                values.append(.integer(number))
            } else {
                guard let value = PercentEncoding.text(of: part.utf8, plusIsSpace: false) else { return nil }
                values.append(.text(value))
            }
        }
        return values.count == 1 ? values[0] : .compound(values)
    }

    private static func mustBeEncoded(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == 0x7F || byte == 0x25 || byte == 0x2F
    }

    /// Whether the bytes are equal; unlike strings, two encodings of a character are different keys.
    package static func == (left: KeyText, right: KeyText) -> Bool {
        let (one, other) = (left.text.utf8.span, right.text.utf8.span)
        return one.count == other.count && one.indices.allSatisfy { one[$0] == other[$0] }
    }

    /// Hashes the bytes, consistent with `==`.
    package func hash(into hasher: inout Hasher) {
        unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
}

extension Item {
    /// ``key`` as one word.
    package var keyText: String { KeyText(key).text }
}
