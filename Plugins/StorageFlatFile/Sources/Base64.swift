// Unsafe: bytes by address. It holds because room for the result is made, or asked for, first.

/// Bytes as text: base64 with padding (RFC 4648, section 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, letter) in alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Appends the text of some bytes, in quotes.
    static func append(_ bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        buffer.reserve((bytes.count + 2) / 3 * 4 + 2)
        buffer.append(UInt8(ascii: "\""))
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for at in 0..<3 { group = group << 8 | (at < count ? UInt32(bytes[start + at]) : 0) }
            for at in 0..<4 {
                let letter = alphabet[Int(group >> UInt32(18 - 6 * at)) & 63]
                buffer.append(at <= count ? letter : UInt8(ascii: "="))
            }
        }
        buffer.append(UInt8(ascii: "\""))
    }

    /// Writes the bytes of a text to `memory`, which has room for as many as the text has letters.
    ///
    /// - Returns: how many there are; nil when the text is not what ``append(_:to:)`` writes.
    static func decode(_ text: UnsafeRawBufferPointer, into memory: UnsafeMutableRawPointer) -> Int? {
        guard text.count % 4 == 0 else { return nil }
        var count = 0
        for start in stride(from: 0, to: text.count, by: 4) {
            let isLast = start + 4 == text.count
            let padding = !isLast || text[start + 3] != 0x3D ? 0 : text[start + 2] == 0x3D ? 2 : 1
            var group: UInt32 = 0
            for at in 0..<4 {
                let value = at < 4 - padding ? values[Int(text[start + at])] : 0
                guard value < 64 else { return nil }
                group = group << 6 | UInt32(value)
            }
            let unused: UInt32 = padding == 0 ? 0 : padding == 1 ? 0xFF : 0xFFFF
            guard group & unused == 0 else { return nil }
            for at in 0..<(3 - padding) {
                memory.storeBytes(of: UInt8(truncatingIfNeeded: group >> UInt32(16 - 8 * at)), toByteOffset: count, as: UInt8.self)
                count += 1
            }
        }
        return count
    }
}
