/// Eight bytes of text looked at together.
enum Word {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    /// A mark in the high bit of each byte that is `byte`; the lowest mark is exact.
    @inline(__always)
    static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference & highs
    }

    /// Whether all bytes are printable ASCII but quote and backslash.
    @inline(__always)
    static func isPlain(_ word: UInt64) -> Bool {
        let controls = (word &- ones &* 0x20) & highs
        return (word & highs) | controls | marks(of: 0x22, in: word) | marks(of: 0x5C, in: word)
            | marks(of: 0x7F, in: word) == 0
    }
}
