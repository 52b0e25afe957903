extension JSONReader {
    /// Reads a whole number exactly.
    ///
    /// The value decides, not its spelling: `47`, `47.0` and `4.7e1` are the same number. Throws for a number that is
    /// not whole or does not fit 64 bits; the reader then stays before the number.
    @inlinable
    package mutating func readInteger() throws(JSONError) -> Int64 {
        let isNegative = skipSpace() == ASCII.minus
        let start = isNegative ? position + 1 : position
        var at = start
        var value: UInt64 = 0
        while at &+ 8 <= bytes.byteCount, let eight = RawSpan.eightDigits(in: bytes.word(at: at)) {
            value = value &* 100_000_000 &+ eight
            at &+= 8
        }
        while bytes.byte(at: at).isDigit {
            value = value &* 10 &+ UInt64(bytes.byte(at: at) &- ASCII.zero)
            at += 1
        }
        // Nineteen digits always fit 64 bits without a sign.
        let limit: UInt64 = isNegative ? 1 << 63 : 1 << 63 - 1
        guard isWhole(from: start, to: at), at - start <= 19, value <= limit else { return try readWhole() }
        position = at
        return Int64(bitPattern: isNegative ? 0 &- value : value)
    }

    /// Reads any number as the nearest `Double`.
    ///
    /// Throws for a number whose nearest value would be infinite; one too close to zero becomes zero.
    package mutating func readDouble() throws(JSONError) -> Double {
        _ = skipSpace()
        let end = try endOfNumber(orThrow: "a number")
        let number = bytes.slice(position..<end)
        guard let value = number.shortDecimal() ?? number.longDecimal(), value.isFinite else {
            throw JSONError(message: "the number is too large", offset: position)
        }
        position = end
        return value
    }

    /// Whether the digits are a whole number: at least one, no leading zero, no fraction or exponent after them.
    @inlinable @inline(__always)
    func isWhole(from start: Int, to end: Int) -> Bool {
        let next = bytes.byte(at: end)
        let hasLeadingZero = end - start > 1 && bytes.byte(at: start) == ASCII.zero
        return end > start && !hasLeadingZero && next != ASCII.point && next | 0x20 != 0x65
    }

    /// Reads a whole number in any spelling, also a number that the fast path cannot read.
    @usableFromInline @inline(never)
    mutating func readWhole() throws(JSONError) -> Int64 {
        let end = try endOfNumber(orThrow: "a whole number")
        let value = try bytes.slice(position..<end).wholeNumber(at: position)
        position = end
        return value
    }

    /// The offset after the number at the current position.
    @usableFromInline
    func endOfNumber(orThrow expected: StaticString) throws(JSONError) -> Int {
        var at = position
        if bytes.byte(at: at) == ASCII.minus { at += 1 }
        guard bytes.byte(at: at).isDigit else {
            throw at == position ? mismatch(expected) : badNumber("has no digit after '-'", at: at)
        }
        let first = at
        at = endOfDigits(from: at)
        if at - first > 1, bytes.byte(at: first) == ASCII.zero {
            throw badNumber("starts with a zero", at: first)
        }
        if bytes.byte(at: at) == ASCII.point {
            at = try endOfRequiredDigits(from: at + 1)
        }
        guard bytes.byte(at: at) | 0x20 == 0x65 else { return at }
        let sign = bytes.byte(at: at + 1)
        return try endOfRequiredDigits(from: sign == ASCII.plus || sign == ASCII.minus ? at + 2 : at + 1)
    }

    private func endOfDigits(from start: Int) -> Int {
        var at = start
        while bytes.byte(at: at).isDigit { at += 1 }
        return at
    }

    private func endOfRequiredDigits(from start: Int) throws(JSONError) -> Int {
        let end = endOfDigits(from: start)
        guard end > start else { throw badNumber("has no digit after '.' or 'e'", at: start) }
        return end
    }

    private func badNumber(_ mistake: StaticString, at offset: Int) -> JSONError {
        JSONError(message: "a number \(mistake)", offset: offset)
    }
}
