/// Turns screens into what a terminal must be sent: of each only the lines that have changed.
struct ScreenPainter {
    /// Whether lines may stand out; without it the marks in the text tell.
    let allowsColour: Bool
    private var shown: BrowserScreen?

    init(allowsColour: Bool) { self.allowsColour = allowsColour }

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
        guard allowsColour, line.style != .plain else { return line.text }
        let code =
            switch line.style {
            case .bar, .selected: "7"
            case .heading: "1"
            case .error: "1;31"
            case .plain: "0"
            }
        return "\u{1B}[\(code)m\(line.text)\u{1B}[0m"
    }
}
