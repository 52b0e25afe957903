// Unsafe: text is copied by address. It holds because room is reserved first, with slack for whole words.

import PatchbayCore

/// The parts of a line.
extension ByteBuffer {
    /// Appends a byte, then a name that is padded to whole words (``LineLayout/names``).
    @inline(__always)
    func append(_ separator: UInt8, _ names: RawSpan, _ start: Int, _ nameCount: Int) {
        reserve(nameCount + 1)
        let target = base + count
        target.storeBytes(of: separator, as: UInt8.self)
        for at in stride(from: 0, to: nameCount, by: 8) {
            // In bounds, because the name is padded. Excess bytes go to the slack and are overwritten later.
            let word = names.unsafeLoadUnaligned(fromUncheckedByteOffset: start + at, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: 1 + at, as: UInt64.self)
        }
        count += nameCount + 1
    }

    func append(integer value: Int64) {
        let isExact = LineLayout.exactIntegers.contains(value)
        reserve(24)
        if !isExact { append(UInt8(ascii: "\"")) }
        if value < 0 { append(UInt8(ascii: "-")) }
        append(digitsOf: value.magnitude)
        if !isExact { append(UInt8(ascii: "\"")) }
    }

    private func append(digitsOf value: UInt64) {
        guard value >= 100_000_000 else {
            let digits = Word.digits(of: value)
            return append(digits, from: min(digits.trailingZeroBitCount / 8, 7))
        }
        let upper = value / 100_000_000
        append(digitsOf: upper)
        append(Word.digits(of: value - upper * 100_000_000), from: 0)
    }

    /// Appends the digits from `first` on, of eight.
    @inline(__always)
    private func append(_ digits: UInt64, from first: Int) {
        let text = (digits | Word.ones &* 0x30) >> UInt64(8 * first)
        base.storeBytes(of: text.littleEndian, toByteOffset: count, as: UInt64.self)
        count += 8 - first
    }

    /// Appends the text up to the first byte that is a quote, a backslash or not printable ASCII, and returns the
    /// number of bytes appended.
    func append(plain text: RawSpan, from start: Int) -> Int {
        reserve(text.byteCount - start)
        let target = base + count
        var at = start, others: UInt64 = 0
        while others == 0, at + 8 <= text.byteCount {
            let word = text.unsafeLoadUnaligned(fromUncheckedByteOffset: at, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: at - start, as: UInt64.self)
            others = Word.others(in: UInt64(littleEndian: word))
            at += others.trailingZeroBitCount / 8
        }
        if others == 0, at < text.byteCount {
            let word = ByteBuffer.lastWord(of: text, from: at)
            target.storeBytes(of: word.littleEndian, toByteOffset: at - start, as: UInt64.self)
            // Zeros after the text count as control characters.
            at += Word.others(in: word).trailingZeroBitCount / 8
        }
        count += at - start
        return at - start
    }

    /// The last bytes of a text, fewer than eight, followed by zeros.
    @inline(__always)
    private static func lastWord(of text: RawSpan, from start: Int) -> UInt64 {
        let end = text.byteCount
        if end >= 8 {
            let word = text.unsafeLoadUnaligned(fromUncheckedByteOffset: end - 8, as: UInt64.self)
            return UInt64(littleEndian: word) >> UInt64(8 * (8 - (end - start)))
        }
        var word: UInt64 = 0
        for at in (start..<end).reversed() {
            word = word << 8 | UInt64(text.unsafeLoad(fromUncheckedByteOffset: at, as: UInt8.self))
        }
        return word
    }
}
