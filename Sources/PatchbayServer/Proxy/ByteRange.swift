/// A single range of bytes (RFC 9110, section 14.1.2).
enum ByteRange {
    /// Returns the bytes that a `Range` field selects. Nil means that the field is ignored: several ranges, another
    /// unit or a syntax error. An empty range means that it selects none of the bytes.
    static func bytes(_ field: String, of count: Int) -> Range<Int>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = number(parts[0]), let last = number(parts[1]) else { return nil }
        switch (first, last) {
        case (nil, nil): return nil
        case (nil, let suffix?): return suffix == 0 ? 0..<0 : max(0, count - suffix)..<count
        case (let first?, nil): return first < count ? first..<count : 0..<0
        case (let first?, let last?):
            if last < first { return nil }
            return first < count ? first..<min(count, last + 1) : 0..<0
        }
    }

    /// Returns nil for invalid text and `.some(nil)` for empty text.
    private static func number(_ text: Substring) -> Int?? {
        if text.isEmpty { return .some(nil) }
        guard text.utf8.count <= 18, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return .some(Int(text))
    }
}
