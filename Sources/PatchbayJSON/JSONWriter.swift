/// Appends JSON to a byte buffer.
///
/// The writer adds commas, colons and, if requested, line breaks; the caller provides the items:
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("login")
///     writer.string("octocat")
///     writer.endObject()
///
/// The output is safe to print on a terminal and to place inside a script: besides quotes and backslashes, it escapes
/// the controls U+0000 to U+001F and U+007F to U+009F and the line separators U+2028 and U+2029. Everything else is
/// UTF-8 as given.
///
/// A value without its key, or an end without its begin, is a programming error; the latter is a precondition failure.
@usableFromInline
package struct JSONWriter: ~Copyable {
    /// What precedes the next item.
    @usableFromInline
    enum Place {
        case first, next, afterKey
    }

    /// The text written so far; the caller may take it, or send it in parts and empty it.
    @usableFromInline package var bytes: [UInt8] = []

    @usableFromInline var place = Place.first
    @usableFromInline var depth = 0
    @usableFromInline let indentation: Int?

    /// Creates a writer; `indentation`, in spaces per level, makes the output multi-line and readable.
    package init(indentation: Int? = nil) {
        precondition(indentation ?? 0 >= 0, "the indentation must not be negative")
        self.indentation = indentation
    }

    /// Empties the buffer but keeps its capacity, and starts a new text.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        place = .first
        depth = 0
    }

    /// Opens an object.
    @inlinable
    package mutating func beginObject() { begin(ASCII.openBrace) }

    /// Closes the object.
    @inlinable
    package mutating func endObject() { end(ASCII.closeBrace) }

    /// Opens an array.
    @inlinable
    package mutating func beginArray() { begin(ASCII.openBracket) }

    /// Closes the array.
    @inlinable
    package mutating func endArray() { end(ASCII.closeBracket) }

    /// Ends the line, as between the texts of JSON Lines; the next value starts a new text.
    package mutating func newline() {
        bytes.append(ASCII.newline)
        place = .first
        depth = 0
    }

    @inlinable
    mutating func begin(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        place = .first
        depth += 1
    }

    @inlinable
    mutating func end(_ bracket: UInt8) {
        precondition(depth > 0, "an object or array is closed that was not opened")
        depth -= 1
        if place == .next { breakLine() }
        bytes.append(bracket)
        place = .next
    }

    /// Writes the separator needed before a key or value.
    @inlinable
    mutating func separate() {
        if place == .next { bytes.append(ASCII.comma) }
        if place != .afterKey, depth > 0 { breakLine() }
        place = .next
    }

    @inlinable
    mutating func breakLine() {
        guard let indentation else { return }
        bytes.append(ASCII.newline)
        bytes.append(contentsOf: repeatElement(ASCII.space, count: indentation * depth))
    }

    /// Writes the key of the next value.
    @inlinable
    package mutating func key(_ name: StaticString) {
        separate()
        appendText(name.bytes)
        endKey()
    }

    /// Writes the key of the next value.
    @inlinable
    package mutating func key(_ name: String) {
        separate()
        appendText(name)
        endKey()
    }

    /// Writes a string.
    @inlinable
    package mutating func string(_ value: String) {
        separate()
        appendText(value)
    }

    /// Writes a string given as UTF-8; each malformed sequence is written as U+FFFD.
    @inlinable
    package mutating func string(utf8 value: RawSpan) {
        separate()
        appendText(value)
    }

    /// Writes a whole number.
    package mutating func integer(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(ASCII.minus) }
        var digits = InlineArray<20, UInt8>(repeating: ASCII.zero)
        var first = 20
        var rest = value.magnitude
        repeat {
            first -= 1
            digits[first] = ASCII.zero + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        while first < 20 {
            bytes.append(digits[first])
            first += 1
        }
    }

    /// Writes a number with the fewest digits that are read as the same value.
    ///
    /// The value must be finite, because JSON has no infinity and no NaN.
    package mutating func real(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        separate()
        bytes.append(contentsOf: value.description.utf8)
    }

    /// Writes `true` or `false`.
    package mutating func bool(_ value: Bool) {
        separate()
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    package mutating func null() {
        separate()
        bytes.append(contentsOf: "null".utf8)
    }

    @inlinable
    mutating func endKey() {
        bytes.append(ASCII.colon)
        if indentation != nil { bytes.append(ASCII.space) }
        place = .afterKey
    }

    /// Appends a string in quotes.
    ///
    /// The span of a short string's `utf8` view points into the string itself, and release builds of Swift 6.3.1
    /// release the string before the span is read. The closure keeps the string alive.
    @usableFromInline
    mutating func appendText(_ text: String) {
        var text = text
        text.withUTF8 { unsafe appendText(UnsafeRawBufferPointer($0).bytes) }
    }

    /// Appends a string in quotes, with the necessary escapes.
    @usableFromInline
    mutating func appendText(_ text: RawSpan) {
        bytes.append(ASCII.quote)
        var start = 0
        var at = text.endOfPrintableText(from: 0)
        while at < text.byteCount {
            let length = text.lengthOfUTF8Sequence(at: at)
            if !text.staysAsItIs(at: at, length: length) {
                bytes.append(text.slice(start..<at))
                appendEscape(of: text, at: at, length: length)
                start = at + max(length, 1)
            }
            at = text.endOfPrintableText(from: at + max(length, 1))
        }
        bytes.append(text.slice(start..<text.byteCount))
        bytes.append(ASCII.quote)
    }

    /// Appends the escape of one character, or U+FFFD for a malformed byte.
    private mutating func appendEscape(of text: RawSpan, at offset: Int, length: Int) {
        switch (length, text.byte(at: offset)) {
        case (0, _): bytes.append(contentsOf: "\u{FFFD}".utf8)
        case (1, 0x08): bytes.append(contentsOf: #"\b"#.utf8)
        case (1, 0x0C): bytes.append(contentsOf: #"\f"#.utf8)
        case (1, ASCII.newline): bytes.append(contentsOf: #"\n"#.utf8)
        case (1, ASCII.carriageReturn): bytes.append(contentsOf: #"\r"#.utf8)
        case (1, ASCII.tab): bytes.append(contentsOf: #"\t"#.utf8)
        case (1, ASCII.quote): bytes.append(contentsOf: #"\""#.utf8)
        case (1, ASCII.backslash): bytes.append(contentsOf: #"\\"#.utf8)
        case (1, let control): appendCodeUnit(high: 0x00, low: control)
        case (2, _): appendCodeUnit(high: 0x00, low: text.byte(at: offset + 1))
        default: appendCodeUnit(high: 0x20, low: text.byte(at: offset + 2) & 0x2F)
        }
    }

    private mutating func appendCodeUnit(high: UInt8, low: UInt8) {
        bytes.append(contentsOf: #"\u"#.utf8)
        for nibble in [high >> 4, high & 15, low >> 4, low & 15] {
            bytes.append(nibble < 10 ? ASCII.zero + nibble : 0x61 + nibble - 10)
        }
    }
}

extension RawSpan {
    /// Whether the character at `offset`, which is not plain text, needs no escape.
    fileprivate func staysAsItIs(at offset: Int, length: Int) -> Bool {
        switch (byte(at: offset), byte(at: offset + 1), byte(at: offset + 2)) {
        case _ where length < 2: false
        case (0xC2, 0x80...0x9F, _): false
        case (0xE2, 0x80, 0xA8...0xA9): false
        default: true
        }
    }
}

extension JSONWriter {
    /// Copies the next value of a reader: texts with this writer's escapes, numbers digit by digit.
    package mutating func copy(_ reader: inout JSONReader) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            try reader.beginObject()
            beginObject()
            while let name = try reader.nextKey() {
                key(name.string())
                try copy(&reader)
            }
            endObject()
        case .array:
            try reader.beginArray()
            beginArray()
            while try reader.nextElement() { try copy(&reader) }
            endArray()
        case .string: string(try reader.readString())
        case .number, .bool, .null, .end:
            let start = reader.offset
            try reader.skipValue()
            separate()
            for place in start..<reader.offset { bytes.append(reader.bytes.byte(at: place)) }
        }
    }
}
