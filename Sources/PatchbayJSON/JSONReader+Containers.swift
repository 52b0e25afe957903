extension JSONReader {
    /// Enters an object; ``nextKey()`` then visits its members.
    @inlinable
    package mutating func beginObject() throws(JSONError) {
        guard skipSpace() == ASCII.openBrace else { throw mismatch("an object") }
        try enter()
    }

    /// Returns the next key of the object and moves before its value; at the end, leaves the object and returns nil.
    ///
    /// The key is valid as long as the bytes, so the reader can continue while it is in use.
    @inlinable @inline(never)
    @_lifetime(copy self)
    package mutating func nextKey() throws(JSONError) -> JSONText? {
        var byte = skipSpace()
        if byte == ASCII.comma, !isAtFirst {
            position += 1
            byte = skipSpace()
        } else if byte == ASCII.closeBrace, depth > 0 {
            leave()
            return nil
        } else if !isAtFirst {
            throw mismatch("',' or '}'")
        }
        guard byte == ASCII.quote else { throw mismatch("a key") }
        position += 1
        isAtFirst = false
        let key = try scanText()
        guard skipSpace() == ASCII.colon else { throw mismatch("':'") }
        position += 1
        return key
    }

    /// Consumes the next key if it is written exactly like this; otherwise the reader stays before it.
    ///
    /// - Parameter text: an element of ``JSONKeyTexts``.
    @inlinable @inline(__always)
    package mutating func takeKey(_ text: RawSpan) -> Bool {
        // The first member has no comma before it.
        let start = isAtFirst ? 1 : 0
        guard bytes.contains(text, from: start, at: position) else { return false }
        position += text.byteCount - start
        isAtFirst = false
        return true
    }

    /// Enters an array; ``nextElement()`` then visits its elements.
    @inlinable
    package mutating func beginArray() throws(JSONError) {
        guard skipSpace() == ASCII.openBracket else { throw mismatch("an array") }
        try enter()
    }

    /// Moves before the next element of the array; at the end, leaves the array and returns false.
    @inlinable
    package mutating func nextElement() throws(JSONError) -> Bool {
        let byte = skipSpace()
        if byte == ASCII.closeBracket, depth > 0 {
            leave()
            return false
        }
        if !isAtFirst {
            guard byte == ASCII.comma else { throw mismatch("',' or ']'") }
            position += 1
        }
        isAtFirst = false
        return true
    }

    @inlinable
    mutating func enter() throws(JSONError) {
        guard depth < JSONReader.depthMax else { throw tooDeep() }
        position += 1
        depth += 1
        isAtFirst = true
    }

    @inlinable
    mutating func leave() {
        position += 1
        depth -= 1
        isAtFirst = false
    }
}
