extension TerminalText {
    /// Returns the text in lines of at most `columns` columns, broken between words if possible.
    package static func wrapped(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var current = "", width = 0
        for character in text {
            let more = TerminalText.width(of: String(character))
            if width + more > columns, !current.isEmpty {
                let space = current.lastIndex(of: " ").map { current.index(after: $0) }
                let rest = character == " " ? "" : space.map { String(current[$0...]) } ?? ""
                lines.append(String(current.dropLast(rest.count)))
                (current, width) = (rest, TerminalText.width(of: rest))
                if character == " " { continue }
            }
            current.append(character)
            width += more
        }
        return lines + [current]
    }

    /// Returns the text in lines of at most `columns` columns, broken between words. A longer word gets its own line
    /// and is not broken, because a broken path or address cannot be copied.
    ///
    /// - Parameter indent: the number of blanks before every line but the first.
    package static func wrapped(words text: String, to columns: Int, indent: Int = 0) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var current = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = current.isEmpty ? String(word) : current + " " + word
            if !current.isEmpty, TerminalText.width(of: longer) > columns {
                lines.append(current)
                current = margin + word
            } else {
                current = longer
            }
        }
        return lines + [current]
    }
}
