extension Base64 {
    /// Encodes bytes; the result is ASCII.
    public static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        append(bytes.span.bytes, to: &text)
        return text
    }

    /// Decodes a text from another program; nil when it is not base64.
    ///
    /// White space is ignored and padding is optional, as in the bodies of HAR files.
    public static func decoded(_ text: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var digitCount = 0
        var paddingCount = 0
        for byte in text {
            if byte == 0x20 || (0x09...0x0D).contains(byte) { continue }
            if byte == UInt8(ascii: "=") {
                paddingCount += 1
                continue
            }
            let digit = values[Int(byte)]
            guard paddingCount == 0, digit < 64 else { return nil }
            bits = bits << 6 | UInt32(digit)
            digitCount += 1
            guard digitCount % 4 == 0 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
        }
        return appendRest(of: bits, digitCount % 4, paddingCount, to: &bytes) ? bytes : nil
    }

    /// Appends the one or two bytes of the last, incomplete group.
    private static func appendRest(
        of bits: UInt32, _ digitCount: Int, _ paddingCount: Int, to bytes: inout [UInt8]
    ) -> Bool {
        switch digitCount {
        case 0: return paddingCount == 0
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            bytes.append(contentsOf: [
                UInt8(truncatingIfNeeded: bits >> 10), UInt8(truncatingIfNeeded: bits >> 2),
            ])
        default: return false
        }
        return paddingCount == 0 || paddingCount == 4 - digitCount
    }
}
