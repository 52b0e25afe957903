/// A JSON string as it stands in the text, without its quotes.
///
/// It is a view: it lives as long as the bytes that were read and copies nothing. Its bytes are valid
/// UTF-8 and its escapes are well formed. Escapes of half a surrogate pair (`\ud800` alone) stand for
/// U+FFFD, because a Swift string cannot hold them.
@frozen
public struct JSONText: ~Escapable {
    /// The bytes between the quotes, escapes not undone.
    public let bytes: RawSpan

    /// Whether the bytes hold at least one escape, so that they differ from the text they stand for.
    public let hasEscapes: Bool

    @usableFromInline let isASCII: Bool

    @inlinable
    @_lifetime(copy bytes)
    init(bytes: RawSpan, hasEscapes: Bool, isASCII: Bool) {
        self.bytes = bytes
        self.hasEscapes = hasEscapes
        self.isASCII = isASCII
    }

    /// Whether the text, escapes undone, has exactly the bytes of the literal.
    @inlinable @inline(__always)
    public static func == (text: borrowing JSONText, literal: StaticString) -> Bool {
        if text.hasEscapes { return text.unescapedEquals(literal) }
        return text.bytes.equals(literal)
    }

    /// Appends the text, escapes undone, as UTF-8.
    public func append(to bytes: inout [UInt8]) {
        guard hasEscapes else { return bytes.append(self.bytes) }
        appendUnescaped(to: &bytes)
    }

    /// Makes a `String` of the text, escapes undone.
    @inlinable
    public func string() -> String {
        if hasEscapes { return unescapedString() }
        return bytes.stringOfValidUTF8(isASCII: isASCII)
    }

    @usableFromInline @inline(never)
    func unescapedEquals(_ literal: StaticString) -> Bool {
        var unescaped: [UInt8] = []
        appendUnescaped(to: &unescaped)
        return literal.withUTF8Buffer { $0.elementsEqual(unescaped) }
    }

    @usableFromInline @inline(never)
    func unescapedString() -> String {
        var unescaped: [UInt8] = []
        appendUnescaped(to: &unescaped)
        return String(decoding: unescaped, as: UTF8.self)
    }
}
