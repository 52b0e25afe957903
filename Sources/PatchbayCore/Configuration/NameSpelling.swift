extension StringProtocol {
    /// The name as a storage spells it: `site_admin` for `site-admin`.
    package var withUnderscores: String { replacing(UInt8(ascii: "-"), with: UInt8(ascii: "_")) }

    /// The name as definitions and options spell it: `site-admin` for `site_admin`.
    package var withHyphens: String { replacing(UInt8(ascii: "_"), with: UInt8(ascii: "-")) }

    /// The name in words: `site admin` for `site_admin`.
    package var withSpaces: String { replacing(UInt8(ascii: "_"), with: UInt8(ascii: " ")) }

    /// Replaces bytes, because a start spells hundreds of names and `replacing(_:with:)` compares characters.
    private func replacing(_ byte: UInt8, with other: UInt8) -> String {
        guard utf8.contains(byte) else { return String(self) }
        return String(decoding: utf8.map { $0 == byte ? other : $0 }, as: UTF8.self)
    }
}
