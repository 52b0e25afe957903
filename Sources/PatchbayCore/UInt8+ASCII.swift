extension UInt8 {
    /// Whether the byte is one of `0` to `9`.
    @inlinable package var isASCIIDigit: Bool { self &- 0x30 < 10 }

    /// Whether the byte is one of `a` to `z`.
    @inlinable package var isASCIILowercase: Bool { self &- 0x61 < 26 }

    /// Whether the byte is one of `A` to `Z`.
    @inlinable package var isASCIIUppercase: Bool { self &- 0x41 < 26 }

    /// Whether the byte is one of `a` to `z`, `A` to `Z` and `0` to `9`.
    @inlinable package var isASCIIAlphanumeric: Bool { (self | 0x20).isASCIILowercase || isASCIIDigit }

    /// The byte with A to Z as a to z, as a case-folded index orders it.
    @inlinable package var caseFolded: UInt8 { isASCIIUppercase ? self | 0x20 : self }
}

extension StringProtocol {
    /// Whether the text consists of `0` to `9`, and is not empty.
    package var isASCIIDigits: Bool { !isEmpty && utf8.allSatisfy(\.isASCIIDigit) }

    /// Whether the text has no characters but those of ASCII that are visible, and so no spaces.
    @inlinable package var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
