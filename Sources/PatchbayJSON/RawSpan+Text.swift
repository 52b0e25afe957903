extension RawSpan {
    /// Marks the bytes of a word that end a run of plain text: quotes, backslashes, controls and non-ASCII bytes.
    ///
    /// One subtraction finds controls and quotes: flipping bit 1 makes the quote 0x20 and keeps controls below it,
    /// while no other ASCII byte becomes less than 0x21. The lowest mark is exact; higher ones may be false, because a
    /// subtraction borrows.
    @inlinable @inline(__always)
    static func textStops(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let controlsAndQuotes = (word ^ (ones &* 0x02)) &- (ones &* 0x21)
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        return (controlsAndQuotes | backslashes | word) & (ones &* 0x80)
    }

    /// The offset of the first byte at or after `start` that is not plain text, or the length.
    @inlinable @inline(__always)
    func endOfPlainText(from start: Int) -> Int {
        var at = start
        let lastPair = byteCount &- 16
        while at <= lastPair {
            let low = RawSpan.textStops(in: word(at: at))
            let high = RawSpan.textStops(in: word(at: at &+ 8))
            if low | high != 0 {
                // Without a mark in the low word, its 64 zero bits count as 8 bytes.
                let inHigh = low == 0 ? high.trailingZeroBitCount &>> 3 : 0
                return at &+ low.trailingZeroBitCount &>> 3 &+ inHigh
            }
            at &+= 16
        }
        return endOfLastPlainText(from: at)
    }

    /// Like `endOfPlainText(from:)`, near the end of the bytes.
    @usableFromInline @inline(never)
    func endOfLastPlainText(from start: Int) -> Int {
        var at = start
        while true {
            // This ends because the zeros after the last byte count as controls.
            let stops = RawSpan.textStops(in: paddedWord(at: at))
            guard stops == 0 else { return at + stops.trailingZeroBitCount / 8 }
            at += 8
        }
    }

    /// The offset of the first byte at or after `start` that is not plain text or is U+007F, or the length.
    package func endOfPrintableText(from start: Int) -> Int {
        var at = start
        let lastWord = byteCount - 8
        while at <= lastWord {
            let stops = RawSpan.printableStops(in: word(at: at))
            guard stops == 0 else { return at &+ stops.trailingZeroBitCount &>> 3 }
            at &+= 8
        }
        return at + RawSpan.printableStops(in: paddedWord(at: at)).trailingZeroBitCount / 8
    }

    /// Like `textStops(in:)`, but also marks U+007F.
    @inline(__always)
    private static func printableStops(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let deletes = ((word ^ (ones &* 0x7F)) &- ones) & (ones &* 0x80)
        return textStops(in: word) | deletes
    }

    /// The length in bytes of the UTF-8 sequence at `offset`, or 0 if it is malformed or cut short.
    ///
    /// Follows table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
    package func lengthOfUTF8Sequence(at offset: Int) -> Int {
        let first = byte(at: offset)
        let second = byte(at: offset + 1)
        switch first {
        case 0x00...0x7F: return offset < byteCount ? 1 : 0
        case 0xC2...0xDF: return second.isContinuation ? 2 : 0
        case 0xE0: return (0xA0...0xBF).contains(second) && isContinuation(offset + 2) ? 3 : 0
        case 0xED: return (0x80...0x9F).contains(second) && isContinuation(offset + 2) ? 3 : 0
        case 0xE1...0xEF: return second.isContinuation && isContinuation(offset + 2) ? 3 : 0
        case 0xF0: return (0x90...0xBF).contains(second) && endsSequenceOfFour(offset) ? 4 : 0
        case 0xF1...0xF3: return second.isContinuation && endsSequenceOfFour(offset) ? 4 : 0
        case 0xF4: return (0x80...0x8F).contains(second) && endsSequenceOfFour(offset) ? 4 : 0
        default: return 0
        }
    }

    private func isContinuation(_ offset: Int) -> Bool {
        byte(at: offset).isContinuation
    }

    private func endsSequenceOfFour(_ offset: Int) -> Bool {
        isContinuation(offset + 2) && isContinuation(offset + 3)
    }
}

extension UInt8 {
    /// Whether the byte is the second, third or fourth of a UTF-8 sequence.
    @inlinable
    var isContinuation: Bool { self & 0xC0 == 0x80 }
}
