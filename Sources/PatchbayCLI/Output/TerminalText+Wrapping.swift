extension TerminalText {
    /// The text in lines of so many columns at most, cut between words where it can be.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
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

    /// The text in lines of at most `columns` columns, cut between words. A longer word stays whole in its own line,
    /// because a path or an address that is cut cannot be copied.
    static func wrapped(words text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var current = ""
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let longer = current.isEmpty ? String(word) : current + " " + word
            if !current.isEmpty, TerminalText.width(of: longer) > columns {
                lines.append(current)
                current = String(word)
            } else {
                current = longer
            }
        }
        return lines + [current]
    }
}
