import TestSupport

/// Searches the names that Swift files declare for words that the prose no longer uses.
enum IdentifierIdioms {
    /// Words in no name.
    private static let words: Set = [
        "alike", "anew", "asked", "asking", "hear", "heard", "hears", "nobody", "said", "says", "somebody",
        "stands",
        "stood", "tell", "telling", "tells", "told", "whoever",
    ]
    /// Two words that do not follow each other in a name.
    private static let pairs: Set = [
        ["gave", "back"], ["give", "back"], ["gives", "back"], ["go", "on"], ["goes", "on"], ["going", "on"],
        ["is", "nothing"], ["let", "through"], ["lets", "through"],
    ]
    private static let keywords: Set<Substring> = [
        "actor", "associatedtype", "case", "class", "enum", "func", "let", "macro", "protocol", "struct",
        "typealias",
        "var",
    ]

    /// Returns the dropped word in a name; nil if there is none. A server may be behind a proxy.
    static func dropped(in name: Substring) -> String? {
        let words = Self.words(of: name)
        if let word = words.first(where: { Self.words.contains($0) }) { return word }
        for (word, next) in zip(words, words.dropFirst() + [""]) {
            if word == "behind", next != "proxy" { return word }
            if pairs.contains([word, next]) { return word + " " + next }
        }
        return nil
    }

    /// The words of a name such as `isHTTPName`, in lower case.
    static func words(of name: Substring) -> [String] {
        var words: [String] = [], isUpper = false
        let characters = Array(name.utf8)
        for (place, character) in characters.enumerated() {
            let isCapital = (0x41...0x5A).contains(character)
            let endsAcronym =
                isUpper && isCapital && place + 1 < characters.count && characters[place + 1] >= 0x61
            if words.isEmpty || (isCapital && !isUpper) || endsAcronym { words.append("") }
            words[words.count - 1].unicodeScalars.append(
                Unicode.Scalar(isCapital ? character + 0x20 : character))
            isUpper = isCapital
        }
        return words
    }

    /// The names that a line declares: those after a keyword, and those of parameters and labels.
    static func declared(in line: String) -> [Substring] {
        let code = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset.isMultiple(of: 2) }.map(\.element).joined(separator: "\"")
        guard let start = code.firstIndex(where: { $0 != " " }), !code[start...].hasPrefix("//") else {
            return []
        }
        var names: [Substring] = [], rest = code[...], isAfterKeyword = false
        while let first = rest.firstIndex(where: { $0.isLetter || $0 == "_" }) {
            rest = rest[first...]
            let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            rest = rest.dropFirst(name.count)
            if isAfterKeyword || rest.first == ":" { names.append(name) }
            isAfterKeyword = keywords.contains(name)
        }
        return names
    }
}
