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
}
