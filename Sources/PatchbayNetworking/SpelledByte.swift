/// A byte of a text as it is, or escaped: `%67`, `\u0067`, `\/`, also where a text with escapes was escaped again.
struct SpelledByte {
    let value: UInt8
    /// The index after the byte's spelling.
    let end: Int

    /// How often a text may have been escaped again, which bounds the look ahead.
    private static let layersMax = 8

    /// The escaped byte that begins at an index; nil when no escape begins there.
    init?(escapedIn bytes: [UInt8], at index: Int) {
        switch bytes[index] {
        case UInt8(ascii: "\\"): self.init(backslashIn: bytes, at: index)
        case UInt8(ascii: "%"): self.init(percentIn: bytes, at: index)
        default: return nil
        }
    }

    /// The byte that begins at an index, escaped or not.
    init(in bytes: [UInt8], at index: Int) {
        self = SpelledByte(escapedIn: bytes, at: index) ?? SpelledByte(value: bytes[index], end: index + 1)
    }

    private init(value: UInt8, end: Int) {
        self.value = value
        self.end = end
    }

    private init?(backslashIn bytes: [UInt8], at index: Int) {
        var next = index + 1
        while next < bytes.count, bytes[next] == UInt8(ascii: "\\"), next - index < Self.layersMax {
            next += 1
        }
        guard next < bytes.count else { return nil }
        switch bytes[next] {
        case UInt8(ascii: "/"), UInt8(ascii: "\""): self.init(value: bytes[next], end: next + 1)
        case UInt8(ascii: "u"):
            guard Self.hex(bytes, at: next + 1) == 0, let value = Self.hex(bytes, at: next + 3) else {
                return nil
            }
            self.init(value: value, end: next + 5)
        default:
            guard next > index + 1 else { return nil }
            self.init(value: UInt8(ascii: "\\"), end: index + 2)
        }
    }

    private init?(percentIn bytes: [UInt8], at index: Int) {
        var next = index + 1
        while next < index + 2 * Self.layersMax, Self.hex(bytes, at: next) == UInt8(ascii: "%"),
            Self.hex(bytes, at: next + 2) != nil
        {
            next += 2
        }
        guard let value = Self.hex(bytes, at: next) else { return nil }
        self.init(value: value, end: next + 2)
    }

    private static func hex(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard index + 1 < bytes.count, let high = digit(bytes[index]), let low = digit(bytes[index + 1])
        else {
            return nil
        }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x41 + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x61 + 10
        default: nil
        }
    }
}

extension SpelledByte {
    /// Where a text ends that begins at an index, each byte of it escaped or not; nil when another text is there.
    static func end(of text: [UInt8], in bytes: [UInt8], at start: Int) -> Int? {
        var index = start
        for expected in text {
            guard index < bytes.count else { return nil }
            if let byte = SpelledByte(escapedIn: bytes, at: index), byte.value == expected {
                index = byte.end
            } else if bytes[index] == expected {
                index += 1
            } else {
                return nil
            }
        }
        return index
    }

    /// Whether an escape ends directly before an index, so that the letter there belongs to it and not to a word.
    static func isEscapeEnd(_ bytes: [UInt8], before index: Int) -> Bool {
        func byte(_ distance: Int) -> UInt8? { index >= distance ? bytes[index - distance] : nil }
        if byte(2) == UInt8(ascii: "\\") { return true }
        if byte(3) == UInt8(ascii: "%") { return hex(bytes, at: index - 2) != nil }
        return byte(6) == UInt8(ascii: "\\") && byte(5) == UInt8(ascii: "u")
    }
}
