/// Text as one segment of a URL's path: all is percent-encoded but letters, digits, `-`, `.`, `_` and `~`
/// (RFC 3986, section 2.3).
struct PathSegment {
    let encoded: String

    init(_ text: String) {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if PathSegment.isUnreserved(byte) {
                bytes.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        encoded = String(decoding: bytes, as: UTF8.self)
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
}
