/// The code that the documentation shows, which is compiled in Tests/SnippetTests.
///
/// A snippet is the code between `// snippet: NAME` and `// end`; pieces with the same name are joined.
struct Snippets {
    private(set) var texts: [String: String] = [:]

    init() throws {
        for file in try SourceTree.swiftFiles("Tests/SnippetTests") {
            for (name, lines) in Snippets.pieces(file.lines) {
                let text = Snippets.dedented(lines)
                texts[name] = texts[name].map { $0 + "\n\n" + text } ?? text
            }
        }
    }

    /// Returns the blocks of Swift code in a page of Markdown.
    static func blocks(in page: String) -> [String] {
        var blocks: [String] = []
        var block: [String]?
        for line in page.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if let lines = block, isFence {
                blocks.append(dedented(lines))
                block = nil
            } else if isFence, line.hasSuffix("```swift") {
                block = []
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func pieces(_ lines: [String]) -> [(name: String, lines: [String])] {
        var pieces: [(name: String, lines: [String])] = []
        var isInside = false
        for line in lines {
            let words = line.drop { $0 == " " }
            if words.hasPrefix("// snippet: ") {
                pieces.append((String(words.dropFirst(12)), []))
                isInside = true
            } else if words == "// end" {
                isInside = false
            } else if isInside {
                pieces[pieces.count - 1].lines.append(line)
            }
        }
        return pieces
    }

    private static func dedented(_ lines: [String]) -> String {
        let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(indents.min() ?? 0)) }.joined(separator: "\n")
    }
}
