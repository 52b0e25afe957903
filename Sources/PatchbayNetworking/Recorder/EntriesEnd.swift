/// Finds where the next entry of a HAR file goes: before the bracket that ends `log.entries`.
///
/// It takes the file in pieces and looks only at quotes, brackets and two names. The reader of the file validates it.
struct EntriesEnd {
    /// The offset of that bracket; nil until it has been seen.
    private(set) var offset: Int?
    /// Whether there is an entry before it.
    private(set) var hasEntries = false
    private(set) var byteCount = 0

    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var text: [UInt8] = []
    private var key: [UInt8] = []
    private var isInLog = false
    private var isInEntries = false

    /// Whether the file is complete and contains a log with entries.
    var isSound: Bool { offset != nil && depth == 0 && !isInString }

    mutating func take(_ bytes: [UInt8]) {
        for byte in bytes {
            if isInString { takeInString(byte) } else { takeOutside(byte) }
            byteCount += 1
        }
    }

    /// Longer names cannot be one of the two.
    private static let nameBytesMax = 8

    private mutating func takeInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            return
        }
        if depth <= 2, text.count < Self.nameBytesMax { text.append(byte) }
    }

    private mutating func takeOutside(_ byte: UInt8) {
        switch byte {
        case 0x20, 0x09...0x0D: return
        case UInt8(ascii: "\""):
            isInString = true
            text.removeAll(keepingCapacity: true)
        case UInt8(ascii: ":"): if depth <= 2 { key = text }
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return close()
        default: break
        }
        if isInEntries, depth > 3 || byte != UInt8(ascii: "[") { hasEntries = true }
    }

    private mutating func open(_ byte: UInt8) {
        if depth == 1, byte == UInt8(ascii: "{"), key.elementsEqual("log".utf8) { isInLog = true }
        if depth == 2, isInLog, byte == UInt8(ascii: "["), key.elementsEqual("entries".utf8) {
            isInEntries = true
        }
        depth += 1
    }

    private mutating func close() {
        depth -= 1
        if depth == 1 { isInLog = false }
        guard depth == 2, isInEntries else { return }
        isInEntries = false
        offset = byteCount
    }
}
