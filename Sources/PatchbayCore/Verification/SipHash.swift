/// SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012), over whole 64-bit words.
///
/// With its fixed key it detects every accidental change, but not deliberate collisions.
package struct SipHash: Sendable {
    private var v0, v1, v2, v3: UInt64
    private var wordCount: UInt64 = 0

    package init(key0: UInt64 = 0, key1: UInt64 = 0) {
        v0 = key0 ^ 0x736F_6D65_7073_6575
        v1 = key1 ^ 0x646F_7261_6E64_6F6D ^ 0xEE
        v2 = key0 ^ 0x6C79_6765_6E65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    @inline(__always)
    package mutating func combine(_ word: UInt64) {
        v3 ^= word
        round()
        round()
        v0 ^= word
        wordCount &+= 1
    }

    /// Adds the number of bytes, then the bytes, with the last word padded with zeros.
    package mutating func combine(counted bytes: RawSpan) {
        combine(UInt64(bytes.byteCount))
        var at = 0
        while at &+ 8 <= bytes.byteCount {
            // In bounds: the condition above.
            combine(
                UInt64(
                    littleEndian: unsafe bytes.unsafeLoadUnaligned(
                        fromUncheckedByteOffset: at, as: UInt64.self)))
            at &+= 8
        }
        guard at < bytes.byteCount else { return }
        var last: UInt64 = 0
        for offset in (at..<bytes.byteCount).reversed() {
            // In bounds: the range ends with the bytes.
            last =
                last << 8 | UInt64(unsafe bytes.unsafeLoad(fromUncheckedByteOffset: offset, as: UInt8.self))
        }
        combine(last)
    }

    /// The digest of the words so far.
    package func finish() -> UInt128 {
        var end = self
        end.combine((wordCount &* 8) << 56)
        end.v2 ^= 0xEE
        for _ in 0..<4 { end.round() }
        let low = end.v0 ^ end.v1 ^ end.v2 ^ end.v3
        end.v1 ^= 0xDD
        for _ in 0..<4 { end.round() }
        return UInt128(end.v0 ^ end.v1 ^ end.v2 ^ end.v3) << 64 | UInt128(low)
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = (v1 << 13 | v1 >> 51) ^ v0
        v0 = v0 << 32 | v0 >> 32
        v2 = v2 &+ v3
        v3 = (v3 << 16 | v3 >> 48) ^ v2
        v0 = v0 &+ v3
        v3 = (v3 << 21 | v3 >> 43) ^ v0
        v2 = v2 &+ v1
        v1 = (v1 << 17 | v1 >> 47) ^ v2
        v2 = v2 << 32 | v2 >> 32
    }
}

extension UInt64 {
    /// 16 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension UInt128 {
    /// 32 hexadecimal digits, made from two halves because the standard library converts wide numbers slowly.
    package var hexadecimal: String {
        UInt64(truncatingIfNeeded: self >> 64).hexadecimal + UInt64(truncatingIfNeeded: self).hexadecimal
    }

    /// Reads ``hexadecimal``; nil for a text that it does not write.
    package init?(hexadecimal text: String) {
        guard text.utf8.count == 32 else { return nil }
        self = 0
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39: self = self << 4 | UInt128(byte - 0x30)
            case 0x61...0x66: self = self << 4 | UInt128(byte - 0x61 + 10)
            default: return nil
            }
        }
    }
}

/// A text as a number of 128 bits (SipHash-2-4 of its UTF-8), the same in every run. It represents a text that is too
/// long for a key.
///
/// It does not protect against deliberate collisions.
package struct TextDigest: Hashable, Sendable {
    /// The 128 bits of the digest.
    package let value: UInt128

    /// Computes the digest of a text of any length.
    package init(of text: String) {
        var hash = SipHash()
        let utf8 = Array(text.utf8)
        hash.combine(counted: utf8.span.bytes)
        value = hash.finish()
    }
}

extension TextDigest: CustomStringConvertible {
    /// 32 hexadecimal digits.
    package var description: String { value.hexadecimal }
}
