extension RawSpan {
    /// Marks the bytes of a word that end a run of plain text: quote, backslash, control, not ASCII.
    ///
    /// The lowest mark is exact; marks above it may be false, because a subtraction borrows.
    @inlinable @inline(__always)
    static func textStops(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = (word ^ (ones &* 0x22)) &- ones
        let backslashes = (word ^ (ones &* 0x5C)) &- ones
        let controls = word &- (ones &* 0x20)
        return (quotes | backslashes | controls | word) & (ones &* 0x80)
    }

    /// The offset of the first byte from `start` on that is not plain text, or the length.
    @inlinable
    func endOfPlainText(from start: Int) -> Int {
        var at = start
        while at + 8 <= byteCount {
            let stops = RawSpan.textStops(in: word(at: at))
            guard stops == 0 else { return at + stops.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < byteCount, byte(at: at).isPlainText { at += 1 }
        return at
    }

    /// The offset of the first byte from `start` on that is not plain text or is U+007F, or the length.
    func endOfPrintableText(from start: Int) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var at = start
        while at + 8 <= byteCount {
            let word = word(at: at)
            let deletes = ((word ^ (ones &* 0x7F)) &- ones) & (ones &* 0x80)
            let stops = RawSpan.textStops(in: word) | deletes
            guard stops == 0 else { return at + stops.trailingZeroBitCount / 8 }
            at += 8
        }
        while at < byteCount, byte(at: at).isPlainText, byte(at: at) != ASCII.delete { at += 1 }
        return at
    }

    /// The length in bytes of the UTF-8 sequence at `offset`, or 0 if it is malformed or cut short.
    ///
    /// Follows table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
    @usableFromInline
    func lengthOfUTF8Sequence(at offset: Int) -> Int {
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
    /// Whether the byte may stand in a string as it is: ASCII, no control, no quote, no backslash.
    @inlinable
    var isPlainText: Bool {
        self >= ASCII.space && self < 0x80 && self != ASCII.quote && self != ASCII.backslash
    }

    /// Whether the byte is the second, third or fourth of a UTF-8 sequence.
    @inlinable
    var isContinuation: Bool { self & 0xC0 == 0x80 }
}
