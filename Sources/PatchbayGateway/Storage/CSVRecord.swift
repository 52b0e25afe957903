import PatchbayJSON

/// A record of comma-separated values, which may span several lines.
struct CSVRecord {
    /// A field without its quotes.
    struct Field {
        var bytes: [UInt8] = []
        /// Whether it was quoted. An empty quoted field is an empty text, any other empty field is null.
        var isQuoted = false
    }

    private(set) var fields: [Field] = []

    /// Reads the next record; nil when there is none. Empty lines, which some programs write at the end, are skipped.
    static func next(_ lines: inout LineReader) throws -> CSVRecord? {
        var bytes: [UInt8] = []
        repeat {
            bytes.removeAll(keepingCapacity: true)
            guard try lines.next(to: &bytes) else { return nil }
        } while bytes.isEmpty || bytes == [UInt8(ascii: "\r")]
        let first = lines.number
        var hasOpenQuote = hasOddQuotes(bytes[...])
        while hasOpenQuote {
            bytes.append(UInt8(ascii: "\n"))
            let start = bytes.count
            guard bytes.count <= LineReader.lineBytesMax, try lines.next(to: &bytes) else {
                throw LineFault("the quote that is opened here is not closed", at: first)
            }
            hasOpenQuote = !hasOddQuotes(bytes[start...])
        }
        return try CSVRecord(bytes)
    }

    private static func hasOddQuotes(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count { $0 == CSVField.quote } % 2 == 1
    }

    private init(_ bytes: [UInt8]) throws {
        let end = bytes.last == UInt8(ascii: "\r") ? bytes.count - 1 : bytes.count
        var at = 0
        repeat {
            fields.append(try CSVRecord.field(bytes, &at, end))
            if at < end, bytes[at] != CSVField.comma {
                throw LineFault("a quoted field continues after its closing quote")
            }
            at += 1
        } while at <= end
    }

    /// Reads a field and moves past it.
    private static func field(_ bytes: [UInt8], _ at: inout Int, _ end: Int) throws -> Field {
        var field = Field()
        guard at < end, bytes[at] == CSVField.quote else {
            let stop = bytes[at..<end].firstIndex(of: CSVField.comma) ?? end
            field.bytes = Array(bytes[at..<stop])
            if field.bytes.contains(CSVField.quote) {
                throw LineFault("an unquoted field contains a quote")
            }
            at = stop
            return field
        }
        field.isQuoted = true
        at += 1
        while at < end {
            let stop = bytes[at..<end].firstIndex(of: CSVField.quote) ?? end
            field.bytes += bytes[at..<stop]
            at = stop + 1
            guard at < end, bytes[at] == CSVField.quote else { break }
            field.bytes.append(CSVField.quote)
            at += 1
        }
        return field
    }
}

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
