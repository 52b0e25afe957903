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
