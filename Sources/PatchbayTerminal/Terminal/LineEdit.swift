/// An input line, edited by the bytes that a terminal sends for keys.
package struct LineEdit {
    /// The effect of a key.
    package enum Change: Equatable { case edited, submitted, ended }

    /// More than a search text may have; further input is ignored.
    package static let bytesMax = 4_096

    package private(set) var text = ""
    private var decoder = KeyDecoder()
    /// Whether the last key was Escape, which a terminal sends before a letter that is pressed with Alt.
    private var isEscaped = false

    package init() {}

    /// Applies all given bytes to the line and returns their effects in order. Return submits the line, and Ctrl-D ends
    /// the input.
    package mutating func take(_ typed: [UInt8]) -> [Change] {
        var changes: [Change] = []
        for key in decoder.keys(typed) {
            defer { isEscaped = key == .escape }
            switch key {
            case _ where isEscaped: break
            case .enter: changes.append(.submitted)
            case .control("D"): changes.append(.ended)
            default:
                if text.edit(key, bytesMax: Self.bytesMax) == .edited, changes.last != .edited {
                    changes.append(.edited)
                }
            }
        }
        return changes
    }
}

extension String {
    /// The effect of a key on a typed line.
    enum Edit { case none, edited, tooLong }

    /// Edits the end of a line: adds text, or removes the last character (Backspace), the last word (Ctrl-W) or all
    /// (Ctrl-U). Other keys have no effect.
    mutating func edit(_ key: BrowserKey, bytesMax: Int) -> Edit {
        switch key {
        case .text(let text):
            guard utf8.count + text.utf8.count <= bytesMax else { return .tooLong }
            self += text
        case .backspace: _ = popLast()
        case .control("U"): self = ""
        case .control("W"):
            while last?.isWhitespace == true { removeLast() }
            while last?.isWhitespace == false { removeLast() }
        default: return .none
        }
        return .edited
    }
}
