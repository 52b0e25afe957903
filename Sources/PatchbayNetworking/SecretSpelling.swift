import PatchbayCore
import PatchbayJSON

/// How a secret that is known may stand in a text.
enum SecretSpelling {
    /// Shorter ones would stand in much that is no secret.
    static let bytesMin = 8

    /// Itself, percent-encoded, and in base64, also as a part of a longer text.
    static func all(of secret: String) -> [[UInt8]] {
        let bytes = Array(secret.utf8)
        guard bytes.count >= bytesMin else { return [] }
        let encoded = PercentEncoding.segment(secret)
        let spellings =
            [bytes, Array(encoded.utf8), Array(lowercasedEscapes(encoded).utf8)]
            + (0..<3).flatMap { base64(bytes, after: $0) }
        return spellings.filter { $0.count >= bytesMin }
    }

    /// The digits of base64 that depend on the secret alone when it begins so many bytes into a group of three; with
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
        return [digits, urlDigits]
    }

    /// `%2B` as `%2b`.
    private static func lowercasedEscapes(_ text: String) -> String {
        var parts = text.split(separator: "%", omittingEmptySubsequences: false).map(String.init)
        for index in parts.indices.dropFirst() {
            parts[index] = parts[index].prefix(2).lowercased() + parts[index].dropFirst(2)
        }
        return parts.joined(separator: "%")
    }
}
