/// The size of a terminal in characters.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

/// The content of a terminal: one line per row, none wider than the terminal.
struct BrowserScreen: Equatable, Sendable {
    /// A line and its style.
    struct Line: Equatable, Sendable {
        var text: String
        var style = Style.plain
    }

    /// The style of a line, on terminals that can show it.
    enum Style: Sendable {
        case plain, bar, heading, selected, error
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
