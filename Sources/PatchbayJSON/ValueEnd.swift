/// Finds the end of a JSON value in a text that arrives in pieces.
///
/// Examines only quotes and brackets; the value is checked when it is read.
struct ValueEnd {
    /// The number of open brackets.
    private var depth = 0
    private var isInString = false
    private var isEscaped = false

    /// Whether the value is complete when no byte follows, as for a number or a word at the end of the text.
    var isAtEnd: Bool { depth == 0 && !isInString }

    /// The index after the value's last byte, or nil when it continues in the next piece.
    mutating func find(in bytes: [UInt8], from start: Int) -> Int? {
        let bytes = bytes.span.bytes
        var index = start
        while index < bytes.byteCount {
            if isInString, !isEscaped { index = bytes.endOfPlainText(from: index) }
            // The byte after the last one reads as 0, which does not end a value.
            let byte = bytes.byte(at: index)
            if let end = isInString ? inString(byte, index) : outside(byte, index) { return end }
            index += 1
        }
        return nil
    }

    private mutating func inString(_ byte: UInt8, _ index: Int) -> Int? {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            return depth == 0 ? index + 1 : nil
        }
        return nil
    }

    private mutating func outside(_ byte: UInt8, _ index: Int) -> Int? {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            guard depth > 0 else { return index }
            depth -= 1
            return depth == 0 ? index + 1 : nil
        case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D:
            return depth == 0 ? index : nil
        default: break
        }
        return nil
    }
}
