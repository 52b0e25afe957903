// Unsafe: lines by address. It holds because a length comes with every address.

import CChecksum

/// The end of every line: a checksum that `jq` reads as one more member.
///
///     {"id":1,"login":"mojombo","_crc":"0a1b2c3d"}
///
/// The checksum is CRC-32C over the file's generation and the line's offset (8 bytes each, little-endian), then over
/// the bytes of the line before `,"_crc"`. A line that was copied to another offset or file does not pass.
enum Line {
    static let trailerBytes = 20
    /// The greatest length of a line: the longest row with every character escaped.
    static let byteCountMax = 128 << 20

    /// The bytes before the checksum, without its quote, and those after it, in memory order.
    private static let trailerStart: UInt64 = 0x3A22_6372_635F_222C
    private static let trailerEnd: UInt32 = 0x0A7D_22

    static func checksum(_ line: UnsafeRawPointer, _ count: Int, at offset: Int, generation: UInt64) -> UInt32
    {
        var seed = (generation.littleEndian, UInt64(offset).littleEndian)
        return unsafe patchbay_crc32c(patchbay_crc32c(0, &seed, 16), line, count)
    }

    /// Ends the line that starts at `start` of the buffer and will be written at `offset` of its file.
    static func seal(_ buffer: ByteBuffer, from start: Int, at offset: Int, generation: UInt64) {
        let checksum = unsafe checksum(
            buffer.base + start, buffer.count - start, at: offset, generation: generation)
        buffer.reserve(trailerBytes)
        let trailer = unsafe buffer.base + buffer.count
        unsafe trailer.storeBytes(of: trailerStart.littleEndian, as: UInt64.self)
        unsafe trailer.storeBytes(of: 0x22, toByteOffset: 8, as: UInt8.self)
        for at in 0..<8 {
            let digit = UInt8(truncatingIfNeeded: checksum >> UInt32(28 - 4 * at)) & 15
            let letter: UInt8 = digit < 10 ? 0x30 + digit : 0x57 + digit
            unsafe trailer.storeBytes(of: letter, toByteOffset: 9 + at, as: UInt8.self)
        }
        unsafe trailer.storeBytes(of: trailerEnd.littleEndian, toByteOffset: 17, as: UInt32.self)
        buffer.count += trailerBytes
    }

    /// Whether the line has a trailer and its checksum matches.
    static func isSound(_ line: UnsafeRawPointer, _ count: Int, at offset: Int, generation: UInt64) -> Bool {
        guard count > trailerBytes, let stored = unsafe storedChecksum(line, count) else { return false }
        return unsafe stored == checksum(line, count - trailerBytes, at: offset, generation: generation)
    }

    /// The number that eight hexadecimal digits in lower case represent, the first in the highest bits; nil if they are
    /// none. All of them are read at the same time.
    private static func number(ofDigits digits: UInt64) -> UInt32? {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Bit 6 distinguishes letters from digits.
        let values = (digits & (ones &* 0x0F)) &+ (digits >> 6 & ones) &* 9
        guard values & (ones &* 0xF0) == 0 else { return nil }
        let letters = (values &+ ones &* 6) >> 4 & ones
        guard values &+ ones &* 0x30 &+ letters &* 0x27 == digits else { return nil }
        let bytes = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
        let halves = (bytes | bytes >> 8) & 0x0000_FFFF_0000_FFFF
        return UInt32(truncatingIfNeeded: halves | halves >> 16)
    }

    /// The checksum in the line's trailer; nil when the line does not end with a trailer.
    static func storedChecksum(_ line: UnsafeRawPointer, _ count: Int) -> UInt32? {
        let trailer = unsafe line + (count - trailerBytes)
        // `,"_crc":` and `"` before the digits, `"}` and the newline after them.
        guard unsafe trailer.loadUnaligned(as: UInt64.self) == trailerStart,
            unsafe trailer.load(fromByteOffset: 8, as: UInt8.self) == 0x22,
            unsafe trailer.loadUnaligned(fromByteOffset: 17, as: UInt16.self) == 0x7D22,
            unsafe trailer.load(fromByteOffset: 19, as: UInt8.self) == 0x0A
        else { return nil }
        return unsafe number(
            ofDigits: UInt64(bigEndian: trailer.loadUnaligned(fromByteOffset: 9, as: UInt64.self)))
    }
}
