/// Decodes the bytes that a terminal sends into keys, however the bytes are split.
///
/// It knows the sequences of xterm, of the terminals that imitate it, and of the Linux console. Unknown sequences are
/// ignored.
struct KeyDecoder {
    /// A longer sequence is ignored.
    static let sequenceBytesMax = 32

    private var pending: [UInt8] = []

    /// Whether the bytes so far are Escape, or the beginning of something longer.
    var isWaiting: Bool { !pending.isEmpty }

    /// Adds bytes and returns the keys that are now complete.
    mutating func keys(_ bytes: [UInt8]) -> [BrowserKey] {
        pending += bytes
        var keys: [BrowserKey] = []
        while let first = pending.first, let (length, key) = next(first) {
            pending.removeFirst(length)
            if let key { keys.append(key) }
        }
        return keys
    }

    /// Ends a pending sequence when no more bytes arrive: a lone Escape is a key.
    mutating func flush() -> [BrowserKey] {
        defer { pending = [] }
        return pending.first == 0x1B ? [.escape] : []
    }

    /// Returns the length of the next sequence and its key, which is nil for a meaningless one; nil if more bytes are
    /// needed.
    private func next(_ first: UInt8) -> (Int, BrowserKey?)? {
        switch first {
        case 0x1B: sequence()
        case 0x0A, 0x0D: (1, .enter)
        case 0x08, 0x7F: (1, .backspace)
        case 0x01...0x1A: (1, .control(Character(Unicode.Scalar(first + 0x40))))
        case 0x00, 0x1C...0x1F: (1, nil)
        default: text(first)
        }
    }

    private func text(_ first: UInt8) -> (Int, BrowserKey?)? {
        let length = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 0
        // A byte that cannot begin a character.
        guard length > 0 else { return (1, nil) }
        guard pending.count >= length else { return nil }
        guard let text = String(validating: pending[..<length], as: UTF8.self) else { return (1, nil) }
        return (length, .text(text))
    }

    private func sequence() -> (Int, BrowserKey?)? {
        guard pending.count > 1 else { return nil }
        switch pending[1] {
        case UInt8(ascii: "O"):
            guard pending.count > 2 else { return nil }
            return (3, Self.key(pending[2], ""))
        case UInt8(ascii: "["):
            guard let end = pending.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
                return pending.count > Self.sequenceBytesMax ? (pending.count, nil) : nil
            }
            let parameters = String(decoding: pending[2..<end], as: UTF8.self)
            return (end + 1, Self.key(pending[end], parameters))
        default: return (1, .escape)
        }
    }

    private static func key(_ final: UInt8, _ parameters: String) -> BrowserKey? {
        switch Character(Unicode.Scalar(final)) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        case "M": .enter
        case "~": tildeKeys[parameters.prefix { $0 != ";" }]
        default: nil
        }
    }

    private static let tildeKeys: [Substring: BrowserKey] = [
        "1": .home, "7": .home, "4": .end, "8": .end, "5": .pageUp, "6": .pageDown, "3": .delete,
    ]
}

/// A pressed key.
enum BrowserKey: Hashable, Sendable {
    case text(String)
    case up, down, left, right, pageUp, pageDown, home, end
    case enter, escape, backspace, delete
    /// A letter pressed with Ctrl, in upper case.
    case control(Character)
}
