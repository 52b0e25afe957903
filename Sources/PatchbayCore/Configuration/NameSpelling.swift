extension StringProtocol {
    /// The name as a storage spells it: `site_admin` for `site-admin`.
    package var withUnderscores: String { separated(by: UInt8(ascii: "_")) }

    /// The name as definitions and options spell it: `site-admin` for `site_admin`.
    package var withHyphens: String { separated(by: UInt8(ascii: "-")) }

    /// The name in words: `site admin` for `site_admin` and `site-admin`.
    package var withSpaces: String { separated(by: UInt8(ascii: " ")) }

    /// The word with an indefinite article: `an id`, `a number`.
    package var withArticle: String {
        (first.map { "aeio".contains($0) } == true ? "an " : "a ") + String(self)
    }

    /// Replaces the separators as bytes, because a start spells hundreds of names and `replacing(_:with:)` compares
    /// characters.
    private func separated(by separator: UInt8) -> String {
        func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") }
        var bytes = Array(utf8)
        for place in bytes.indices where isSeparator(bytes[place]) { bytes[place] = separator }
        return String(decoding: bytes, as: UTF8.self)
    }
}
