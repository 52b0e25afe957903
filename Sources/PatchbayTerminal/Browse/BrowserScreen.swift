internal import PatchbaySystem

/// The size of a terminal in characters.
package struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int

    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The size of a terminal; nil if it is unknown.
    package init?(of descriptor: Int32) {
        guard let size = Descriptor.size(descriptor) else { return nil }
        self.init(columns: size.columns, rows: size.rows)
    }
}

/// The content of a terminal: one line per row, none wider than the terminal.
struct BrowserScreen: Equatable, Sendable {
    /// A line, its style, and the pieces of it that look different.
    struct Line: Equatable, Sendable {
        var pieces: [Piece]
        var style = Style.plain

        var text: String { pieces.map(\.text).joined() }
    }

    /// A harmless text and its role.
    struct Piece: Equatable, Sendable {
        var text: String
        var role: Paint.Role?

        init(_ text: String, _ role: Paint.Role? = nil) { (self.text, self.role) = (text, role) }
    }

    /// The style of a line, on terminals that can show it.
    enum Style: Sendable {
        case plain, bar, heading, selected, error, hint
    }

    /// A position, counted from 0.
    struct Cursor: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    var lines: [Line]
    /// The position of the input; nil hides the cursor.
    var cursor: Cursor?
}

/// Turns screens into terminal output that redraws only the lines that have changed.
struct ScreenPainter {
    /// Styles lines if colours are allowed; without them, the marks in the text are enough.
    private let colour: Paint
    private var shown: BrowserScreen?

    init(allowsColour: Bool) { colour = Paint(isColoured: allowsColour) }

    /// Returns the output that changes the last screen to this one; empty if nothing has changed.
    mutating func paint(_ screen: BrowserScreen) -> String {
        defer { shown = screen }
        guard screen != shown else { return "" }
        var output = "\u{1B}[?25l"
        if shown?.lines.count != screen.lines.count {
            shown = nil
            // Not the whole screen at once, because terminals without an alternate screen scroll that into their
            // history.
            output += "\u{1B}[0m\u{1B}[\(screen.lines.count);1H\u{1B}[J"
        }
        for (row, line) in screen.lines.enumerated() where shown?.lines[row] != line {
            // Cleared first, because after a full line the cursor is on its last character.
            output += "\u{1B}[\(row + 1);1H\u{1B}[K\(styled(line))"
        }
        if let cursor = screen.cursor {
            output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        }
        return output
    }

    /// Forgets the last screen, so that the next one is painted completely.
    mutating func reset() { shown = nil }

    private func styled(_ line: BrowserScreen.Line) -> String {
        let base: Paint.Role? =
            switch line.style {
            case .bar, .selected: .chosen
            case .heading: .title
            case .error: .wrong
            case .hint: .aside
            case .plain: nil
            }
        // A coloured piece would be a coloured block in the reversed colours of the selected row.
        guard line.style != .selected, line.pieces.contains(where: { $0.role != nil }) else {
            return colour(line.text, base)
        }
        return line.pieces.map { colour($0.text, $0.role, on: base) }.joined()
    }
}
