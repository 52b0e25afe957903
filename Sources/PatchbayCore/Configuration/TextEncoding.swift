/// Recognizes text that is not UTF-8, for error messages.
package enum TextEncoding {
    /// Whether text is UTF-16 according to its byte order mark, or to a zero byte in one of its first two letters.
    package static func isUTF16(_ bytes: some Swift.Collection<UInt8>) -> Bool {
        let start = Array(bytes.prefix(2))
        guard start.count == 2 else { return false }
        return start == [0xFF, 0xFE] || start == [0xFE, 0xFF] || (start[0] == 0) != (start[1] == 0)
    }
}
