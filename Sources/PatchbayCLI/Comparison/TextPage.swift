import PatchbayTerminal

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
        let words = TerminalText.harmless(text).split(separator: " ").map {
            TerminalText.cut(String($0), to: width - indent)
        }
        return TerminalText.wrapped(words: words.joined(separator: " "), to: width, indent: indent).map {
            paint($0, role)
        }
    }

    /// Returns aligned names and values; a value that does not fit is cut.
    func pairs(_ pairs: [(String, String)]) -> [String] {
        let names = pairs.map { TerminalText.cut(TerminalText.harmless($0.0), to: width / 4) }
        let column = names.map { TerminalText.width(of: $0) }.max() ?? 0
        return zip(names, pairs).map { name, pair in
            "    " + TerminalText.padded(name, to: column) + "  " + cut(pair.1, after: column + 6)
        }
    }
}
