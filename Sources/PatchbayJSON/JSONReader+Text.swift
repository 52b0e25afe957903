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
