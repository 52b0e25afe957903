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
package struct JSONWriter: ~Copyable {
    /// What precedes the next item.
    @usableFromInline
    enum Place {
        case first, next, afterKey
    }

    /// The text written so far; the caller may take it, or send it in parts and empty it.
    package var bytes: [UInt8] = []

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
}
