import PatchbayCore

/// What a person searches for: words, `"phrases"`, `prefix*` and `-unwanted`.
struct TextWords: Equatable {
    /// A word or a phrase.
    struct Term: Equatable {
        var text: String
        /// Whether words that begin with the last one match as well.
        var isPrefix = false
    }

    /// All of them must occur.
    private(set) var wanted: [Term] = []
    /// None of them may occur.
    private(set) var unwanted: [Term] = []

    /// The maximum number of words and phrases.
    static let termsMax = 64
    /// The maximum length of a text, in bytes.
    static let bytesMax = 4_096

    /// - Throws: `invalidValue` for a text without a word that is wanted, and for one that is too long.
    init(_ text: String) throws(PatchbayError) {
        guard text.utf8.count <= Self.bytesMax else {
            throw PatchbayError(
                .invalidValue, "the text has more than \(Self.bytesMax) bytes; search for fewer words",
                [.limit(Self.bytesMax)])
        }
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            if first.properties.isWhitespace || first == "\0" {
                rest.removeFirst()
                continue
            }
            let isUnwanted = first == "-"
            if isUnwanted { rest.removeFirst() }
            var term = rest.first == "\"" ? Self.phrase(&rest) : Self.word(&rest)
            if rest.first == "*" {
                term.isPrefix = true
                rest.removeFirst()
            }
            guard term.hasWord else { continue }
            if isUnwanted { unwanted.append(term) } else { wanted.append(term) }
        }
        guard !wanted.isEmpty else {
            throw PatchbayError(
                .invalidValue,
                unwanted.isEmpty
                    ? "the text has no word to search for"
                    : "the text has only words that must not occur; add one that must")
        }
        guard wanted.count + unwanted.count <= Self.termsMax else {
            throw PatchbayError(
                .invalidValue, "the text has more than \(Self.termsMax) words; search for fewer",
                [.limit(Self.termsMax)])
        }
    }

    /// Reads the phrase at the beginning, which ends at a quotation mark or with the text.
    private static func phrase(_ rest: inout Substring.UnicodeScalarView) -> Term {
        rest.removeFirst()
        let end = rest.firstIndex(of: "\"") ?? rest.endIndex
        let phrase = String(rest[..<end])
        rest = rest[end...].dropFirst()
        return Term(text: phrase)
    }

    /// Reads the word at the beginning, which ends before white space or an asterisk that ends the word.
    private static func word(_ rest: inout Substring.UnicodeScalarView) -> Term {
        let end = rest.firstIndex { $0.properties.isWhitespace || $0 == "\0" } ?? rest.endIndex
        var word = rest[..<end]
        rest = rest[end...]
        var term = Term(text: "")
        while word.last == "*" {
            word.removeLast()
            term.isPrefix = true
        }
        term.text = String(word)
        return term
    }

    /// The words in FTS5's syntax: each a string in quotation marks, so that no text is an operator.
    var expression: String {
        let wanted = self.wanted.map(\.expression).joined(separator: " ")
        if unwanted.isEmpty { return wanted }
        return "(\(wanted)) NOT (\(unwanted.map(\.expression).joined(separator: " OR ")))"
    }

    /// The wanted words and phrases that are too short for an index of three characters.
    var tooShort: [String] {
        (wanted + unwanted).map(\.text).filter { $0.unicodeScalars.count < 3 }
    }
}

extension TextWords.Term {
    /// Whether the text has a letter, a number or another character that belongs to words.
    fileprivate var hasWord: Bool {
        text.unicodeScalars.contains { scalar in
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
                .decimalNumber, .letterNumber, .otherNumber, .privateUse:
                true
            default: false
            }
        }
    }

    fileprivate var expression: String {
        // Scalars, because a quotation mark with a combining mark is another character.
        var quoted = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": quoted += " "
            case "\"": quoted += "\"\""
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return "\"\(quoted)\"" + (isPrefix ? " *" : "")
    }
}
