/// A field of comma-separated values (RFC 4180).
public enum CSVField {
    /// Appends a text, in quotes where it needs them: the empty text, so that it is not taken for null; one with a
    /// comma, quote or line break; one with a space at an end, because some readers drop it.
    public static func append(_ text: RawSpan, to bytes: inout [UInt8]) {
        text.withUnsafeBytes { text in
            guard unsafe needsQuotes(text) else { return unsafe bytes.append(contentsOf: text) }
            bytes.append(quote)
            for byte in text {
                if byte == quote { bytes.append(quote) }
                bytes.append(byte)
            }
            bytes.append(quote)
        }
    }

    private static func needsQuotes(_ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = unsafe text.first, let last = unsafe text.last else { return true }
        if first == space || last == space { return true }
        return unsafe text.contains { $0 == comma || $0 == quote || $0 == lineFeed || $0 == carriageReturn }
    }

    static let comma = UInt8(ascii: ",")
    static let quote = UInt8(ascii: "\"")
    private static let space = UInt8(ascii: " ")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")
}
