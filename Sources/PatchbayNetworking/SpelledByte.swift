import PatchbayCore

/// A plain or escaped byte of a text (`%67`, `\u0067`, `\/`), including bytes that were escaped several times.
struct SpelledByte {
    let value: UInt8
    /// The index after the byte's spelling.
    let end: Int

    /// The maximum number of repeated escapes, which bounds the look-ahead.
    private static let layersMax = 8

    /// Reads the escaped byte that starts at an index; nil when no escape starts there.
    init?(escapedIn bytes: [UInt8], at index: Int) {
        switch bytes[index] {
        case UInt8(ascii: "\\"): self.init(backslashIn: bytes, at: index)
        case UInt8(ascii: "%"): self.init(percentIn: bytes, at: index)
        default: return nil
        }
    }

    /// Reads the byte that starts at an index, escaped or not.
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
        guard index + 1 < bytes.count, let high = PercentEncoding.hexValue(bytes[index]),
            let low = PercentEncoding.hexValue(bytes[index + 1])
        else { return nil }
        return high << 4 | low
    }

    /// Returns the end of `text` if it starts at an index, with any of its bytes escaped; nil when another text is
    /// there.
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

    /// Whether an escape ends directly before an index, so that the preceding letter is part of the escape and not of a
    /// word.
    static func isEscapeEnd(_ bytes: [UInt8], before index: Int) -> Bool {
        func byte(_ distance: Int) -> UInt8? { index >= distance ? bytes[index - distance] : nil }
        if byte(2) == UInt8(ascii: "\\") { return true }
        if byte(3) == UInt8(ascii: "%") { return hex(bytes, at: index - 2) != nil }
        return byte(6) == UInt8(ascii: "\\") && byte(5) == UInt8(ascii: "u")
    }
}
