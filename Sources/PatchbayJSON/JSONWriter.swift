/// Appends JSON to a byte buffer.
///
/// The writer places commas, colons and, if asked for, line breaks; the caller says what comes next:
///
///     var writer = JSONWriter()
///     writer.beginObject()
///     writer.key("login")
///     writer.string("octocat")
///     writer.endObject()
///
/// The output is safe to print on a terminal and to place inside a script: besides quote and backslash it
/// escapes the controls U+0000 to U+001F and U+007F to U+009F and the line separators U+2028 and U+2029.
/// All else is UTF-8 as given.
///
/// A value without its key, or an end without its begin, is the caller's mistake; an end without its
/// begin is a precondition failure.
public struct JSONWriter: ~Copyable {
    /// What the next item has to follow.
    @usableFromInline
    enum Place {
        case first, next, afterKey
    }

    /// The text written so far; it may be taken, or sent in parts and emptied.
    public var bytes: [UInt8] = []

    @usableFromInline var place = Place.first
    @usableFromInline var depth = 0
    @usableFromInline let indentation: Int?

    /// Makes a writer; `indentation`, in spaces a level, gives output for people on several lines.
    public init(indentation: Int? = nil) {
        precondition(indentation ?? 0 >= 0, "the indentation must not be negative")
        self.indentation = indentation
    }

    /// Empties the buffer but keeps its capacity, and starts a new text.
    public mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        place = .first
        depth = 0
    }

    /// Opens an object.
    @inlinable
    public mutating func beginObject() { begin(ASCII.openBrace) }

    /// Closes the object.
    @inlinable
    public mutating func endObject() { end(ASCII.closeBrace) }

    /// Opens an array.
    @inlinable
    public mutating func beginArray() { begin(ASCII.openBracket) }

    /// Closes the array.
    @inlinable
    public mutating func endArray() { end(ASCII.closeBracket) }

    /// Ends the line, as between the texts of JSON lines; the next value starts a new text.
    public mutating func newline() {
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

    /// Writes what must stand before a key or value, and expects another one behind it.
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
