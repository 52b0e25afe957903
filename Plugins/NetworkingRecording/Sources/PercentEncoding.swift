/// Percent-encoding as RFC 3986, section 2, has it.
enum PercentEncoding {
    /// The one spelling of a part of a URL: all is encoded but letters, digits, `-`, `.`, `_` and `~`.
    ///
    /// Two spellings that stand for the same bytes give the same text.
    static func canonical(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.count, let high = hexValue(bytes[index + 1]),
                let low = hexValue(bytes[index + 2])
            {
                byte = high << 4 | low
                index += 2
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = 0x20
            }
            index += 1
            append(byte, to: &output)
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        if isUnreserved(byte) { return output.append(byte) }
        output.append(contentsOf: [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)])
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x41 + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x61 + 10
        default: nil
        }
    }
}
