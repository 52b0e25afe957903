import PatchbayCore
import PatchbayDomain
import PatchbaySystem

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
        var rest = text.composed.unicodeScalars[...]
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

    /// The wanted words and phrases if all of them are too short for an index of three characters, which then finds
    /// nothing.
    var tooShort: [String] {
        wanted.allSatisfy(\.isShort) ? wanted.map(\.text) : []
    }
}

/// The words that are too short for an index of three characters. It finds texts as if they were not there, so they are
/// searched for in the texts.
struct ShortTerms {
    /// Of each term, the bytes of all ways to write it in upper and lower case.
    private let wanted, unwanted: [[[UInt8]]]

    /// Nil if no word is too short.
    init?(_ words: TextWords) {
        wanted = words.wanted.filter(\.isShort).map(\.spellings)
        unwanted = words.unwanted.filter(\.isShort).map(\.spellings)
        if wanted.isEmpty, unwanted.isEmpty { return nil }
    }

    func admits(_ text: TextFile.Text) -> Bool {
        wanted.allSatisfy { text.has($0) } && !unwanted.contains { text.has($0) }
    }
}

extension TextFile.Text {
    fileprivate func has(_ spellings: [[UInt8]]) -> Bool {
        [title, body].contains { text in
            unsafe text.withUnsafeBytes { text in
                spellings.contains { unsafe $0.withUnsafeBytes { unsafe text.firstPlace(of: $0) != nil } }
            }
        }
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

    /// Whether the text has fewer than three characters.
    fileprivate var isShort: Bool { text.unicodeScalars.count < 3 }

    /// The bytes of all ways to write the text in upper and lower case.
    fileprivate var spellings: [[UInt8]] {
        text.unicodeScalars.reduce([[]]) { starts, scalar in
            let letters = Set([
                String(scalar), scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping,
            ])
            return starts.flatMap { start in letters.map { start + Array($0.utf8) } }
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
