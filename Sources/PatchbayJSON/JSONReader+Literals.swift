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
