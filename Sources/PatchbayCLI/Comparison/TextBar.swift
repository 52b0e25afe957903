import PatchbayTerminal

/// A bar of block characters, exact to an eighth of a column.
enum TextBar {
    /// - Parameter part: from 0 to 1; more is drawn as 1. A value above 0 is never drawn as an empty bar.
    /// - Returns: exactly `columns` columns, padded with blanks.
    static func drawn(_ part: Double, columns: Int) -> String {
        guard part.isFinite, part > 0 else { return String(repeating: " ", count: columns) }
        let eighths = max(1, Int((min(part, 1) * Double(columns * 8)).rounded()))
        let whole = String(repeating: "█", count: eighths / 8)
        let rest = eighths % 8 == 0 ? "" : String(parts[eighths % 8 - 1])
        return TerminalText.padded(whole + rest, to: columns)
    }

    private static let parts: [Character] = ["▏", "▎", "▍", "▌", "▋", "▊", "▉"]
}
