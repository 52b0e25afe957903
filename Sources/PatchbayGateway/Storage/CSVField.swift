/// A field of comma-separated values (RFC 4180).
public enum CSVField {
    /// Appends a text, quoted if it is empty, which would otherwise mean null, if it contains a comma, quote or line
    /// break, or if it begins or ends with a space, which some readers drop.
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
