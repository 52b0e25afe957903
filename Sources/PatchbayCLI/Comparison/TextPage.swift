/// Formats lines that fit a terminal.
struct TextPage {
    let width: Int
    let paint: Paint

    /// Whether dispensable columns should be left out.
    var isNarrow: Bool { width < 76 }

    func title(_ words: String) -> String { paint(cut(words.uppercased()), .title) }

    /// Returns the text, made harmless and cut to the rest of a line.
    func cut(_ text: String, after used: Int = 0) -> String {
        TerminalText.cut(TerminalText.harmless(text), to: max(0, width - used))
    }

    /// Returns the text, made harmless, in as many lines as needed; all but the first are indented by `indent`.
    ///
    /// A word that is wider than a line is cut.
    func wrapped(_ text: String, indent: Int = 0, role: Paint.Role? = nil) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = ""
        for word in TerminalText.harmless(text).split(separator: " ", omittingEmptySubsequences: true) {
            let word = TerminalText.cut(String(word), to: width - indent)
            let longer = line.isEmpty ? word : line + " " + word
            if !line.isEmpty, TerminalText.width(of: longer) > width {
                lines.append(line)
                line = margin + word
            } else {
                line = longer
            }
        }
        return (lines + [line]).map { paint($0, role) }
    }

    /// Returns aligned names and values; a value that does not fit is cut.
    func pairs(_ pairs: [(String, String)]) -> [String] {
        let names = pairs.map { TerminalText.cut(TerminalText.harmless($0.0), to: width / 4) }
        let column = names.map { TerminalText.width(of: $0) }.max() ?? 0
        return zip(names, pairs).map { name, pair in
            "    " + TextPage.padded(name, to: column) + "  " + cut(pair.1, after: column + 6)
        }
    }

    static func padded(_ text: String, to columns: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, columns - TerminalText.width(of: text)))
        return isRight ? blanks + text : text + blanks
    }
}
