/// Reads JSON text in place, value by value: a pull reader over UTF-8 bytes in memory.
///
/// Use it when the shape of the answer is known and most fields are not needed. Nothing is allocated unless a method
/// that returns a `String` is called. The caller reads the kind of value that it expects:
///
///     var reader = JSONReader(bytes)
///     try reader.beginArray()
///     while try reader.nextElement() {
///         try reader.beginObject()
///         while let key = try reader.nextKey() {
///             if key == "login" { login = try reader.readString() } else { try reader.skipValue() }
///         }
///     }
///     try reader.finish()
///
/// After each key or element exactly one value must be read or skipped. Reading another kind of value than the text
/// contains throws and does not move the reader. No input makes the reader trap or read outside the bytes.
///
/// The grammar is that of RFC 8259 without extensions: no comments, no trailing commas, no leading zeros, no control
/// characters in strings, no byte order mark. Strings must be valid UTF-8. Containers nest at most ``depthMax`` deep.
/// Duplicate keys are all returned, so the caller's last assignment wins. Skipped values are checked as strictly as
/// values that are read; text after the last value is checked only by ``finish()``.
@usableFromInline @frozen
package struct JSONReader: ~Escapable, ~Copyable {
    /// The maximum depth of nested objects and arrays.
    @inlinable package static var depthMax: Int { 256 }

    /// The kind of a value, determined by its first byte.
    @usableFromInline @frozen
    package enum Kind: Sendable {
        /// A value of JSON, or the end of the text.
        case object, array, string, number, bool, null, end

        /// Compiled into its callers, unlike the one that the compiler would write.
        @inlinable package static func == (left: Kind, right: Kind) -> Bool {
            switch (left, right) {
            case (.object, .object), (.array, .array), (.string, .string), (.number, .number), (.bool, .bool),
                (.null, .null), (.end, .end):
                true
            default: false
            }
        }
    }

    @usableFromInline let bytes: RawSpan
    @usableFromInline var position = 0
    @usableFromInline var depth = 0
    @usableFromInline var isAtFirst = false

    /// Starts before the first byte, without examining it.
    @inlinable
    @_lifetime(copy bytes)
    package init(_ bytes: RawSpan) {
        self.bytes = bytes
    }

    /// The number of bytes consumed, for messages.
    @inlinable
    package var offset: Int { position }

    /// Returns the kind of the next value without consuming it; white space before it is consumed.
    ///
    /// Throws if no value can start with the next byte.
    @inlinable
    package mutating func peek() throws(JSONError) -> Kind {
        switch skipSpace() {
        case ASCII.quote: return .string
        case ASCII.openBrace: return .object
        case ASCII.openBracket: return .array
        case 0x74, 0x66: return .bool
        case 0x6E: return .null
        case ASCII.minus, 0x30...0x39: return .number
        default:
            guard position == bytes.byteCount else { throw mismatch("a value") }
            return .end
        }
    }

    /// Checks that only white space is left and that every object and array was read to its end.
    @inlinable
    package mutating func finish() throws(JSONError) {
        _ = skipSpace()
        guard position == bytes.byteCount, depth == 0 else { throw mismatch("the end of the text") }
    }

    /// Moves to the next byte that is not white space and returns it, or 0 at the end.
    @inlinable @inline(__always)
    mutating func skipSpace() -> UInt8 {
        let byte = bytes.byte(at: position)
        return byte > ASCII.space ? byte : skipLongSpace()
    }

    @usableFromInline
    mutating func skipLongSpace() -> UInt8 {
        while true {
            let byte = bytes.byte(at: position)
            switch byte {
            case ASCII.space, ASCII.newline, ASCII.carriageReturn, ASCII.tab: position += 1
            default: return byte
            }
        }
    }
}

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

/// What some servers send before the JSON of an answer.
package enum JSONPreamble {
    /// The number of bytes before the JSON: of a byte order mark, which a reader may ignore (RFC 8259, section 8.1), or
    /// of a line that begins with `)]}'`, with which Gerrit and others keep web pages from running an answer as a
    /// script.
    package static func length(in text: [UInt8]) -> Int {
        if text.starts(with: [0xEF, 0xBB, 0xBF]) { return 3 }
        guard text.starts(with: ")]}'".utf8) else { return 0 }
        return text.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    }
}
