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
