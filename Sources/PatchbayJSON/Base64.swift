/// Base64 with padding (RFC 4648, section 4).
public enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The six bits of each byte of the alphabet; 0xFF for any other byte.
    static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Appends the encoding of some bytes.
    public static func append(_ bytes: RawSpan, to text: inout [UInt8]) {
        text.reserveCapacity(text.count + (bytes.byteCount + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.byteCount, by: 3) {
            let count = min(3, bytes.byteCount - start)
            var group: UInt32 = 0
            for offset in 0..<3 {
                group = group << 8 | (offset < count ? UInt32(bytes.byte(at: start + offset)) : 0)
            }
            for place in 0..<4 {
                let letter = alphabet[Int(group >> UInt32(18 - 6 * place)) & 63]
                text.append(place <= count ? letter : UInt8(ascii: "="))
            }
        }
    }

    /// Decodes a text that ``append(_:to:)`` wrote; nil for any other text.
    public static func decode(_ text: RawSpan) -> [UInt8]? {
        guard text.byteCount % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.byteCount / 4 * 3)
        for start in stride(from: 0, to: text.byteCount, by: 4) {
            let isLast = start + 4 == text.byteCount
            let isPadded = isLast && text.byte(at: start + 3) == UInt8(ascii: "=")
            let padding = !isPadded ? 0 : text.byte(at: start + 2) == UInt8(ascii: "=") ? 2 : 1
            var group: UInt32 = 0
            for place in 0..<4 {
                let value = place < 4 - padding ? values[Int(text.byte(at: start + place))] : 0
                guard value < 64 else { return nil }
                group = group << 6 | UInt32(value)
            }
            // The bits left over by padding must be zero, or two texts would encode the same bytes.
            let unused: UInt32 = padding == 0 ? 0 : padding == 1 ? 0xFF : 0xFFFF
            guard group & unused == 0 else { return nil }
            for place in 0..<(3 - padding) {
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * place)))
            }
        }
        return bytes
    }
}
