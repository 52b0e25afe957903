import HTTPTypes
import PatchbayCore
import PatchbayJSON

/// Finds known secrets in a text in every spelling: plain, percent-encoded, with JSON escapes, and in base64, alone or
/// after a user name.
///
/// A secret of fewer than eight bytes is found only as a separate word, because it may be part of unrelated words.
struct SecretSpellings: Sendable {
    /// Shorter secrets are found only as separate words.
    static let bytesMin = 8

    private let texts: [Text]
    /// The secrets in lower case, for names of header fields, which are case-insensitive.
    private let names: [String]
    /// The bytes with which a spelling may start.
    let isStart: [Bool]

    private struct Text: Hashable {
        let bytes: [UInt8]
        let isWord: Bool
        /// Whether the secret could be a JSON number or literal, where a placeholder would not be valid JSON.
        let isLiteral: Bool
    }

    init(_ secrets: [String]) {
        let secrets = Set(secrets).filter { !$0.isEmpty }
        texts = Set(secrets.flatMap(Self.texts)).sorted { $0.bytes.count > $1.bytes.count }
        names = secrets.map { $0.lowercased() }
        var isStart = [Bool](repeating: false, count: 256)
        for text in texts { isStart[Int(text.bytes[0])] = true }
        if !texts.isEmpty { for byte in "%\\".utf8 { isStart[Int(byte)] = true } }
        self.isStart = isStart
    }

    var isEmpty: Bool { texts.isEmpty }

    /// Returns the secret that starts at an index.
    func secret(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        for text in texts {
            guard let end = SpelledByte.end(of: text.bytes, in: bytes, at: index) else { continue }
            if text.isWord, !Self.isWord(bytes, index..<end) { continue }
            if text.isLiteral, Self.isJSONValue(bytes, index..<end) { continue }
            return index..<end
        }
        return nil
    }

    /// Returns every secret in a text, in order.
    func secrets(in bytes: [UInt8]) -> [Range<Int>] {
        guard !isEmpty else { return [] }
        var secrets: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            if isStart[Int(bytes[index])], let secret = secret(in: bytes, at: index) {
                secrets.append(secret)
                index = secret.upperBound
            } else {
                index += 1
            }
        }
        return secrets
    }

    /// Whether the name of a header field contains a secret; a short secret must be the whole name.
    func isSecret(field name: HTTPField.Name) -> Bool {
        names.contains { secret in
            secret.utf8.count < Self.bytesMin
                ? name.canonicalName == secret : name.canonicalName.contains(secret)
        }
    }
}

// MARK: - Spellings

extension SecretSpellings {
    private static func texts(of secret: String) -> [Text] {
        let bytes = Array(secret.utf8)
        let isLiteral = bytes.allSatisfy(\.isASCIIDigit) || ["true", "false", "null"].contains(secret)
        let isWord = bytes.count < bytesMin
        let encoded = isWord ? credentials(with: secret) : (0..<3).flatMap { base64(bytes, after: $0) }
        return [Text(bytes: bytes, isWord: isWord, isLiteral: isLiteral)]
            + encoded.map { Text(bytes: $0, isWord: isWord, isLiteral: false) }
    }

    /// Returns the base64 forms of a short secret that occur in credentials.
    private static func credentials(with secret: String) -> [[UInt8]] {
        let texts = [
            secret, ":\(secret)", "\(secret):", "\(secret):x-oauth-basic", "x-access-token:\(secret)",
        ]
        return texts.map { Array(Base64.encoded(Array($0.utf8)).prefix { $0 != UInt8(ascii: "=") }) }
    }

    /// Returns the base64 digits that depend only on the secret when it starts `offset` bytes into a group of three, in
    /// both alphabets.
    private static func base64(_ bytes: [UInt8], after offset: Int) -> [[UInt8]] {
        let text = Base64.encoded([UInt8](repeating: 0, count: offset) + bytes)
        let first = offset == 0 ? 0 : offset + 1
        let bits = (offset + bytes.count) * 8
        let digits = Array(text[first..<(bits / 6)])
        let urlDigits = digits.map { digit in
            digit == UInt8(ascii: "+")
                ? UInt8(ascii: "-") : digit == UInt8(ascii: "/") ? UInt8(ascii: "_") : digit
        }
        return [digits, urlDigits].filter { $0.count >= bytesMin }
    }
}

// MARK: - Surroundings

extension SecretSpellings {
    private static func isWord(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        let isBegun = range.lowerBound > 0 && isWordByte(bytes[range.lowerBound - 1])
        guard !isBegun || SpelledByte.isEscapeEnd(bytes, before: range.lowerBound) else { return false }
        return range.upperBound == bytes.count || !isWordByte(bytes[range.upperBound])
    }

    /// Whether the range is an unquoted JSON value.
    private static func isJSONValue(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        let before = bytes[..<range.lowerBound].last { !isSpace($0) }
        let after = bytes[range.upperBound...].first { !isSpace($0) }
        return before.map { ":,[".utf8.contains($0) } ?? true && after.map { ",]}".utf8.contains($0) } ?? true
            && before != nil
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_") || byte >= 0x80
    }
}
