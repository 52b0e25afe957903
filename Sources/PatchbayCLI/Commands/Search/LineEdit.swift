/// An input line, edited by keystrokes as a terminal sends them.
///
/// It knows Backspace, Ctrl-U (the whole line), Ctrl-W (the last word), Return and Ctrl-D. Arrows and other sequences
/// that begin with Escape do nothing.
struct LineEdit {
    /// The effect of keystrokes.
    enum Change: Equatable { case nothing, edited, submitted, ended }

    /// More than a search text may have; further input is ignored.
    static let bytesMax = 4_096

    private enum Sequence { case none, escaped, parameters }

    private var bytes: [UInt8] = []
    private var sequence = Sequence.none

    /// The line so far. Invalid UTF-8 becomes U+FFFD.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Applies all given bytes to the line and returns their effects in order.
    mutating func take(_ typed: [UInt8]) -> [Change] {
        var changes: [Change] = []
        for byte in typed {
            let change = take(byte)
            if change == .edited, changes.last == .edited { continue }
            if change != .nothing { changes.append(change) }
        }
        return changes
    }

    private mutating func take(_ byte: UInt8) -> Change {
        guard sequence == .none else { return skip(byte) }
        switch byte {
        case 0x04: return .ended
        case 0x0A, 0x0D: return .submitted
        case 0x08, 0x7F: return edit { _ = $0.popLast() }
        case 0x15: return edit { $0 = "" }
        case 0x17:
            return edit { text in
                while text.last?.isWhitespace == true { text.removeLast() }
                while text.last?.isWhitespace == false { text.removeLast() }
            }
        case 0x1B:
            sequence = .escaped
            return .nothing
        case ..<0x20: return .nothing
        default:
            guard bytes.count < Self.bytesMax else { return .nothing }
            bytes.append(byte)
            return .edited
        }
    }

    private mutating func edit(_ body: (inout String) -> Void) -> Change {
        var text = text
        body(&text)
        bytes = Array(text.utf8)
        return .edited
    }

    /// Skips a sequence such as `ESC [ 1 ; 5 C`.
    private mutating func skip(_ byte: UInt8) -> Change {
        if sequence == .escaped, byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") {
            sequence = .parameters
        } else if sequence == .escaped || (0x40...0x7E).contains(byte) {
            sequence = .none
        }
        return .nothing
    }
}
