extension JSONReader {
    /// Reads `true` or `false`.
    @inlinable
    package mutating func readBool() throws(JSONError) -> Bool {
        switch skipSpace() {
        case 0x74:
            guard isNext(0x6575_7274) else { throw badLiteral }
            position += 4
            return true
        case 0x66:
            position += 1
            guard isNext(0x6573_6C61) else {
                position -= 1
                throw badLiteral
            }
            position += 4
            return false
        default: throw mismatch("true or false")
        }
    }

    /// Consumes `null` and returns true, or returns false and consumes no value.
    @inlinable
    package mutating func readNull() throws(JSONError) -> Bool {
        guard skipSpace() == 0x6E else { return false }
        guard isNext(0x6C6C_756E) else { throw badLiteral }
        position += 4
        return true
    }

    /// Skips the next value of any kind, checking it in full.
    @inlinable @inline(never)
    package mutating func skipValue() throws(JSONError) {
        switch skipSpace() {
        case ASCII.quote:
            position += 1
            _ = try scanText()
        default: try skipOther()
        }
    }

    @usableFromInline
    mutating func skipOther() throws(JSONError) {
        switch bytes.byte(at: position) {
        case ASCII.openBrace: try skipObject()
        case ASCII.openBracket: try skipArray()
        case 0x74, 0x66: _ = try readBool()
        case 0x6E: _ = try readNull()
        default: position = try endOfNumber(orThrow: "a value")
        }
    }

    private mutating func skipObject() throws(JSONError) {
        try beginObject()
        while let _ = try nextKey() { try skipValue() }
    }

    private mutating func skipArray() throws(JSONError) {
        try beginArray()
        while try nextElement() { try skipValue() }
    }

    /// Whether the next four bytes are `word`, whose lowest byte is the first.
    @inlinable
    func isNext(_ word: UInt32) -> Bool {
        position + 4 <= bytes.byteCount && bytes.halfWord(at: position) == word
    }
}

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

extension JSONReader {
    /// Reads a string in place, without copying it.
    @inlinable @inline(never)
    @_lifetime(copy self)
    package mutating func readText() throws(JSONError) -> JSONText {
        guard skipSpace() == ASCII.quote else { throw mismatch("a string") }
        position += 1
        return try scanText()
    }

    /// Reads a string and resolves its escapes, as ``JSONText/string()`` does.
    @inlinable
    package mutating func readString() throws(JSONError) -> String {
        try readText().string()
    }

    /// Reads from after the opening quote to after the closing one.
    ///
    /// Always inlined into `nextKey`, `readText` and `skipValue`, which never are, so that a string costs one call.
    @inlinable @inline(__always)
    @_lifetime(copy self)
    mutating func scanText() throws(JSONError) -> JSONText {
        let start = position
        let end = bytes.endOfPlainText(from: start)
        guard bytes.byte(at: end) == ASCII.quote else { return try scanMixedText(from: start, plainTo: end) }
        position = end + 1
        return JSONText(bytes: bytes.slice(start..<end), hasEscapes: false, isASCII: true)
    }

    /// Continues after plain ASCII: at an escape, another character, a mistake or the end.
    @usableFromInline @inline(never)
    @_lifetime(copy self)
    mutating func scanMixedText(from start: Int, plainTo plainEnd: Int) throws(JSONError) -> JSONText {
        var at = plainEnd
        var hasEscapes = false
        var isASCII = true
        while bytes.byte(at: at) != ASCII.quote {
            if bytes.byte(at: at) == ASCII.backslash {
                hasEscapes = true
                at += try lengthOfEscape(at: at)
            } else {
                isASCII = false
                // Usually more of them follow.
                repeat { at += try lengthOfCharacter(at: at) } while bytes.byte(at: at) >= 0x80
            }
            at = bytes.endOfPlainText(from: at)
        }
        position = at + 1
        return JSONText(bytes: bytes.slice(start..<at), hasEscapes: hasEscapes, isASCII: isASCII)
    }

    private func lengthOfEscape(at start: Int) throws(JSONError) -> Int {
        switch bytes.byte(at: start + 1) {
        case ASCII.quote, ASCII.backslash, ASCII.slash, 0x62, 0x66, 0x6E, 0x72, 0x74: return 2
        case 0x75: break
        default: throw JSONError(message: "a string contains an unknown escape", offset: start)
        }
        for digit in start + 2..<start + 6 where bytes.byte(at: digit).hexadecimalValue == nil {
            throw JSONError(message: "a string contains '\\u' without four hexadecimal digits", offset: start)
        }
        return 6
    }

    private func lengthOfCharacter(at start: Int) throws(JSONError) -> Int {
        guard start < bytes.byteCount else {
            throw JSONError(message: "a string has no closing quote", offset: start)
        }
        guard bytes.byte(at: start) >= ASCII.space else {
            throw JSONError(
                message: "a string contains a control character that is not escaped", offset: start)
        }
        let length = bytes.lengthOfUTF8Sequence(at: start)
        guard length > 0 else { throw JSONError(message: "a string contains invalid UTF-8", offset: start) }
        return length
    }
}
