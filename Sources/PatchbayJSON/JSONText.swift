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

extension JSONText {
    /// Appends the text run by run, replacing each escape with its character.
    func appendUnescaped(to output: inout [UInt8]) {
        output.reserveCapacity(output.count + bytes.byteCount)
        var at = 0
        while at < bytes.byteCount {
            let end = endOfRun(from: at)
            output.append(bytes.slice(at..<end))
            at = end
            if at < bytes.byteCount { at += appendEscape(at: at, to: &output) }
        }
    }

    /// Whether a valid JSON text contains an escaped half of a surrogate pair, which becomes U+FFFD.
    package static func hasHalfPair(in json: [UInt8]) -> Bool {
        let text = JSONText(bytes: json.span.bytes, hasEscapes: true, isASCII: false)
        var at = text.endOfRun(from: 0), character: [UInt8] = []
        while at < json.count {
            let length = text.appendEscape(at: at, to: &character)
            if length == 6, text.codeUnit(at: at) & 0xF800 == 0xD800 { return true }
            at = text.endOfRun(from: at + length)
        }
        return false
    }

    /// The offset of the next backslash, or the length.
    private func endOfRun(from start: Int) -> Int {
        var at = start
        while true {
            // Stops at other bytes as well.
            at = bytes.endOfPlainText(from: at)
            guard at < bytes.byteCount, bytes.byte(at: at) != ASCII.backslash else { return at }
            repeat { at += 1 } while bytes.byte(at: at) >= 0x80
        }
    }

    /// Appends the character of the escape at `start` and returns the length of the escape.
    private func appendEscape(at start: Int, to output: inout [UInt8]) -> Int {
        switch bytes.byte(at: start + 1) {
        case 0x62: output.append(0x08)
        case 0x66: output.append(0x0C)
        case 0x6E: output.append(ASCII.newline)
        case 0x72: output.append(ASCII.carriageReturn)
        case 0x74: output.append(ASCII.tab)
        case 0x75: return appendScalar(at: start, to: &output)
        case let byte: output.append(byte)
        }
        return 2
    }

    /// Appends the character of `\uXXXX` or of a surrogate pair of two such escapes.
    private func appendScalar(at start: Int, to output: inout [UInt8]) -> Int {
        let high = codeUnit(at: start)
        let low = isCodeUnit(at: start + 6) ? codeUnit(at: start + 6) : 0
        if high & 0xFC00 == 0xD800, low & 0xFC00 == 0xDC00 {
            output.append(scalar: 0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF))
            return 12
        }
        output.append(scalar: high)
        return 6
    }

    private func isCodeUnit(at offset: Int) -> Bool {
        bytes.byte(at: offset) == ASCII.backslash && bytes.byte(at: offset + 1) == 0x75
    }

    private func codeUnit(at start: Int) -> UInt32 {
        var unit: UInt32 = 0
        for digit in start + 2..<start + 6 {
            unit = unit << 4 | (bytes.byte(at: digit).hexadecimalValue ?? 0)
        }
        return unit
    }
}

extension [UInt8] {
    /// Appends a scalar as UTF-8; a value that is not a scalar, such as half a surrogate pair, becomes U+FFFD.
    fileprivate mutating func append(scalar value: UInt32) {
        append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}")!)
    }
}
