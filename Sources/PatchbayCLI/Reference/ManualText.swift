internal import PatchbayCore
internal import PatchbayTerminal

/// A manual page in the markup of `man` (groff_man(7)), built up piece by piece.
struct ManualText {
    /// The width of running text in the page's source; editors and checkers prefer short lines.
    private static let columns = 78

    private(set) var text: String
    /// Whether the next paragraph needs no paragraph macro, because it follows a title.
    private var isBelowTitle = false

    /// - Parameter name: the page's name, in lower case.
    init(_ name: String, section: Int, build: Build) {
        text = """
            .TH \(name.uppercased()) \(section) "\(build.day ?? "")" "patchbay \(PatchbayVersion.current)" "Patchbay"
            .nh
            .ad l

            """
    }

    mutating func section(_ title: String) {
        text += ".SH \(title)\n"
        isBelowTitle = true
    }

    mutating func subsection(_ title: String) {
        text += ".SS \"\(ManualText.escaped(title))\"\n"
        isBelowTitle = true
    }

    /// Appends paragraphs separated by blank lines; one that starts with two spaces is an example and is not wrapped.
    mutating func paragraphs(_ words: String) {
        for paragraph in words.split(separator: "\n\n") {
            if !isBelowTitle { text += ".PP\n" }
            isBelowTitle = false
            let isExample = paragraph.hasPrefix("  ")
            text +=
                isExample
                ? ".EX\n\(ManualText.escaped(String(paragraph)))\n.EE\n"
                : ManualText.lines(String(paragraph))
        }
    }

    /// Appends lines as they are.
    mutating func example(_ lines: String) {
        let shown = lines.split(separator: "\n", omittingEmptySubsequences: false)
            .map { Self.guarded(Self.escaped(String($0))) }
        text += ".nf\n" + shown.joined(separator: "\n") + "\n.fi\n"
    }

    /// Appends a term and its meaning, indented below it.
    ///
    /// - Parameter term: text with fonts, from ``bold(_:)`` and ``italic(_:)``.
    mutating func definition(_ term: String, _ meaning: String) {
        text += ".TP\n\(term)\n" + ManualText.lines(meaning)
        isBelowTitle = false
    }

    /// Appends a line of text with fonts, from ``bold(_:)`` and ``italic(_:)``.
    mutating func line(_ words: String) { text += words + "\n" }

    static func bold(_ words: String) -> String { "\\fB\(escaped(words))\\fR" }

    static func italic(_ words: String) -> String { "\\fI\(escaped(words))\\fR" }

    /// Returns text that `man` prints literally, with hyphens that can be copied into a terminal.
    static func escaped(_ words: String) -> String {
        var escaped = ""
        for character in words.unicodeScalars {
            switch character {
            case "\\": escaped += "\\e"
            case "-": escaped += "\\-"
            case "\"": escaped += "\\(dq"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }

    /// Returns running text as lines, each with its line feed.
    private static func lines(_ words: String) -> String {
        let words = words.split(whereSeparator: \.isWhitespace).map { escaped(String($0)) }
        return TerminalText.wrapped(words: words.joined(separator: " "), to: columns).map {
            guarded($0) + "\n"
        }.joined()
    }

    /// Escapes a dot or an apostrophe at the start of a line, which the formatter would treat as a request.
    private static func guarded(_ line: String) -> String {
        line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line
    }
}
