extension JSONWriter {
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
