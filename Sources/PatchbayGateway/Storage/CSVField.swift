import PatchbayJSON

/// A field of comma-separated values (RFC 4180).
package enum CSVField {
    /// Appends a text, quoted if it is empty, which would otherwise mean null, if it contains a comma, quote or line
    /// break, or if it begins or ends with a space, which some readers drop.
    package static func append(_ text: RawSpan, to bytes: inout [UInt8]) {
        guard needsQuotes(text) else { return bytes.append(text) }
        bytes.append(quote)
        for place in 0..<text.byteCount {
            let byte = text.byte(at: place)
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }

    private static func needsQuotes(_ text: RawSpan) -> Bool {
        if text.isEmpty || text.byte(at: 0) == space || text.byte(at: text.byteCount - 1) == space {
            return true
        }
        for place in 0..<text.byteCount {
            let byte = text.byte(at: place)
            if byte == comma || byte == quote || byte == lineFeed || byte == carriageReturn { return true }
        }
        return false
    }

    static let comma = UInt8(ascii: ",")
    static let quote = UInt8(ascii: "\"")
    private static let space = UInt8(ascii: " ")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
