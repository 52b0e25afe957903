/// A JSON string in place, without its quotes.
///
/// It is a view that is valid as long as the bytes that were read, and copies nothing. Its bytes are valid UTF-8 and
/// its escapes are well formed. An escaped half of a surrogate pair (`\ud800` alone) becomes U+FFFD, because a Swift
/// string cannot contain it.
@usableFromInline @frozen
package struct JSONText: ~Escapable {
    /// The bytes between the quotes, with escapes unresolved.
    @usableFromInline package let bytes: RawSpan

    /// Whether the bytes contain at least one escape and so differ from the text.
    @usableFromInline package let hasEscapes: Bool

    @usableFromInline let isASCII: Bool

    @inlinable
    @_lifetime(copy bytes)
    init(bytes: RawSpan, hasEscapes: Bool, isASCII: Bool) {
        self.bytes = bytes
        self.hasEscapes = hasEscapes
        self.isASCII = isASCII
    }

    /// Whether the text, with escapes resolved, has exactly the bytes of the literal.
    @inlinable @inline(__always)
    package static func == (text: borrowing JSONText, literal: StaticString) -> Bool {
        if text.hasEscapes { return text.unescapedEquals(literal) }
        return text.bytes.equals(literal)
    }

    /// Appends the text as UTF-8, with escapes resolved.
    package func append(to bytes: inout [UInt8]) {
        guard hasEscapes else { return bytes.append(self.bytes) }
        appendUnescaped(to: &bytes)
    }

    /// Creates a `String` of the text, with escapes resolved.
    @inlinable
    package func string() -> String {
        if hasEscapes { return unescapedString() }
        return bytes.stringOfValidUTF8(isASCII: isASCII)
    }

    @usableFromInline @inline(never)
    func unescapedEquals(_ literal: StaticString) -> Bool {
        var unescaped: [UInt8] = []
        appendUnescaped(to: &unescaped)
        return unescaped.span.bytes.equals(literal)
    }

    @usableFromInline @inline(never)
    func unescapedString() -> String {
        var unescaped: [UInt8] = []
        appendUnescaped(to: &unescaped)
        return String(decoding: unescaped, as: UTF8.self)
    }
}
