/// The size of a terminal in characters.
struct ScreenSize: Hashable, Sendable {
    var columns: Int
    var rows: Int
}

/// What a terminal shall show: one line a row, none wider than the terminal.
struct BrowserScreen: Equatable, Sendable {
    /// A line and how it stands out.
    struct Line: Equatable, Sendable {
        var text: String
        var style = Style.plain
    }

    /// How a line stands out where the terminal may show it.
    enum Style: Sendable {
        case plain, bar, heading, selected, error
    }

    /// A place, counted from 0.
    struct Cursor: Equatable, Sendable {
        var row: Int
        var column: Int
    }

    var lines: [Line]
    /// Where somebody types; nil hides the cursor.
    var cursor: Cursor?
}
