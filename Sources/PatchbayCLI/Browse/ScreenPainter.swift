/// Turns screens into what a terminal must be sent: of each only the lines that have changed.
struct ScreenPainter {
    /// Whether lines may stand out; without it the marks in the text tell.
    private let colour: Paint
    private var shown: BrowserScreen?

    init(allowsColour: Bool) { colour = Paint(isColoured: allowsColour) }

    /// What takes the terminal from the last screen to this one; empty when nothing has changed.
    mutating func paint(_ screen: BrowserScreen) -> String {
        defer { shown = screen }
        guard screen != shown else { return "" }
        var output = "\u{1B}[?25l"
        if shown?.lines.count != screen.lines.count {
            shown = nil
            // Not the whole screen at once: terminals without a second screen push that into their history.
            output += "\u{1B}[0m\u{1B}[\(screen.lines.count);1H\u{1B}[J"
        }
        for (row, line) in screen.lines.enumerated() where shown?.lines[row] != line {
            // Emptied first: behind a full line the cursor stands on its last character.
            output += "\u{1B}[\(row + 1);1H\u{1B}[K\(styled(line))"
        }
        if let cursor = screen.cursor {
            output += "\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h"
        }
        return output
    }

    /// Forgets what is shown: the next screen is sent whole.
    mutating func reset() { shown = nil }

    private func styled(_ line: BrowserScreen.Line) -> String {
        let role: Paint.Role? =
            switch line.style {
            case .bar, .selected: .chosen
            case .heading: .title
            case .error: .wrong
            case .plain: nil
            }
        return colour(line.text, role)
    }
}
