/// Operations on eight bytes of text at once.
enum Word {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let highs: UInt64 = 0x8080_8080_8080_8080

    /// Marks the high bit of each byte that is `byte`. Only the lowest mark is certain.
    @inline(__always)
    static func marks(of byte: UInt8, in word: UInt64) -> UInt64 {
        let difference = word ^ (ones &* UInt64(byte))
        return (difference &- ones) & ~difference & highs
    }

    /// Marks the high bit of each byte that is a quote, a backslash or not printable ASCII. Only the lowest mark is
    /// certain.
    @inline(__always)
    static func others(in word: UInt64) -> UInt64 {
        // The subtractions and additions change the high bit of another ASCII byte only when a lower byte is marked.
        let controls = (word &- ones &* 0x20) | (word &+ ones)
        let quotes = ((word ^ ones &* 0x22) &- ones) | ((word ^ ones &* 0x5C) &- ones)
        return (word | controls | quotes) & highs
    }

    /// The number at the start of the word, whose first byte is in the lowest bits, and its count of digits.
    @inline(__always)
    static func digits(in word: UInt64) -> (value: UInt64, count: Int) {
        let values = word ^ (ones &* 0x30)
        let count = ((values &+ ones &* 0x76 | values) & highs).trailingZeroBitCount / 8
        if count == 0 { return (0, 0) }
        // Zeros in front, then pairs of digits, then all four pairs at once.
        let all = values << UInt64(8 * (8 - count))
        let pairs = all &* 10 &+ all >> 8
        let odd = (pairs & 0xFF_0000_00FF) &* 0xF_4240_0000_0064
        let even = (pairs >> 16 & 0xFF_0000_00FF) &* 0x2710_0000_0001
        return ((odd &+ even) >> 32, count)
    }

    /// The eight digits of a number under 10^8 as values, with leading zeros; the first in the lowest bits.
    @inline(__always)
    static func digits(of value: UInt64) -> UInt64 {
        // Two halves of four digits, then four pairs, then eight digits; each step divides all of them at once.
        let halves = value / 10_000 | (value % 10_000) << 32
        let hundreds = (halves &* 10_486) >> 20 & 0x7F_0000_007F
        let pairs = (halves &- 100 &* hundreds) << 16 &+ hundreds
        let tens = (pairs &* 103) >> 10 & 0x000F_000F_000F_000F
        return tens &+ (pairs &- 10 &* tens) << 8
    }

    /// The eight hexadecimal digits of a number, as text; the first in the lowest bits.
    @inline(__always)
    static func hexadecimal(_ value: UInt32) -> UInt64 {
        // One byte in every two, the first in the lowest bits; then a digit in every byte.
        let halves = UInt64(value.byteSwapped) & 0xFFFF | UInt64(value.byteSwapped >> 16) << 32
        let bytes = (halves | halves << 8) & 0x00FF_00FF_00FF_00FF
        let digits = (bytes >> 4 | bytes << 8) & (ones &* 0x0F)
        let letters = (digits &+ ones &* 6) >> 4 & ones
        return digits &+ ones &* 0x30 &+ letters &* 0x27
    }
}
