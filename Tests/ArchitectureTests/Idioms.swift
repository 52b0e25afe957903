import Foundation
import TestSupport

/// A phrase that the code and the documentation no longer use.
struct Idiom {
    /// Plain texts, one of which is in every match. They are searched first, because that is much faster.
    let parts: [String]
    /// A regular expression for text in lower case.
    let pattern: String
    /// The words to use instead.
    let instead: String

    init(_ parts: String..., pattern: String, instead: String) {
        self.parts = parts
        self.pattern = pattern
        self.instead = instead
    }

    static let all = [
        Idiom(
            "tell", "told", pattern: #"\b(?:tells?|told)\b"#,
            instead: "report, return, print, state, notify; for \"told apart\": distinguished"),
        Idiom("hear", pattern: #"\b(?:hears?|heard)\b"#, instead: "is called with, receives"),
        Idiom(
            "stand", "stood", pattern: #"\b(?:stands?|stood)\b(?! for\b|-)"#,
            instead: "is, appears, is placed, represents; for \"as it stands\": unchanged"),
        Idiom(
            "behind", pattern: #"\bbehind\b(?!-| (?:a|the) (?:reverse )?prox)"#,
            instead: "after (in time or order), below, left over"),
        Idiom(
            " on", pattern: #"\b(?:go|goes|going|went|gone) on\b"#, instead: "continues, resumes"),
        Idiom("anew", pattern: #"\banew\b"#, instead: "again"),
        Idiom(
            "so many", pattern: #"\bso many\b(?! \w+ that\b)"#,
            instead: "up to n, the given number of"),
        Idiom("as of", pattern: #"\bas of\b"#, instead: "as in, at; for a copy: a consistent snapshot"),
        Idiom(
            " no ", pattern: #"\b(?!there\b)\w+\W+(?:is|are|was|were) no\b(?! longer\b| more\b)"#,
            instead: "is not a"),
        Idiom("alike", pattern: #"\balike\b"#, instead: "the same, equal, similar"),
        Idiom("what holds", pattern: #"\bwhat holds\b"#, instead: "the effective value"),
        Idiom("the first", pattern: #"\bof (?:each|both|all) the first\b"#, instead: "the first of each"),
        Idiom("through", pattern: #"\blets? through\b"#, instead: "allows"),
        Idiom(
            "gives back", "give back", "gave back", pattern: #"\b(?:gives?|gave) back\b"#,
            instead: "returns, releases"),
        Idiom("by hand", pattern: #"\bby hand\b"#, instead: "manual, manually"),
        Idiom(
            "asked", pattern: #"\b(?:is|are|was|were|be|been) asked\b(?! to\b)"#,
            instead: "is queried, is requested, a request is sent"),
        Idiom(
            "somebody", "nobody", "whoever", pattern: #"\b(?:somebody|nobody|whoever)\b(?= \w)"#,
            instead: "the actor: a user, another process, a caller, no client"),
        Idiom(
            "who ",
            pattern: #"(?:^|[.:;] )who (?:wants|asks|has|needs|reads|takes|waits|calls|writes|holds)\b"#
                + #"(?![^.]*\?)"#,
            instead: "the actor: a caller that, a user who; or: to do this"),
        Idiom(
            "what ",
            pattern: #"(?:^|[.;:] )what (?:is|are|was|were|has|had|cannot|it|they|no)\b(?! expected)[^.?;:]*"#
                + #"\b(?:is|are|was|were|stays?|comes?|goes|has|belongs?|gives?|counts?)\b(?![^.]*\?)"#,
            instead: "a noun as the subject: stored rows, an invalid path, the rest"),
        Idiom(
            "says ", pattern: #"(?:^|\. )says (?:what|why|whether|how|which|so)\b"#,
            instead: "Returns, Prints"),
        Idiom("came to be", pattern: #"\bcame to be\b"#, instead: "was created, the reason for"),
        Idiom(
            "thereof", "therein", "wherefore", pattern: #"\b(?:thereof|therein|wherefore)\b"#,
            instead: "of it, in it, why"),
        Idiom("can be overlooked", pattern: #"\bcan be overlooked\b"#, instead: "exceeds the limit"),
    ]
}

/// A line in which the phrase is the right one.
struct IdiomException: Hashable {
    let path: String
    /// A part of the line, in lower case.
    let fragment: String

    static let all: Set = [
        IdiomException(path: "Docs/Architecture.md", fragment: "behind a package trait"),
        IdiomException(
            path: "Docs/Decisions/0022-network-behind-a-trait.md", fragment: "behind a package trait"),
    ]
}

/// Searches comments and string literals of Swift files, and pages of Markdown, for dropped idioms.
struct IdiomSearch {
    struct Hit {
        let path: String
        let line: Int
        /// The whole line without code, in lower case.
        let text: String
        let phrase: String
        let instead: String
    }

    /// Pages generated from strings that are searched themselves.
    private static let generated: Set = ["Docs/Commands.md", "Docs/Errors.md"]

    private let idioms: [(idiom: Idiom, regex: Regex<AnyRegexOutput>)]

    init() throws {
        idioms = try Idiom.all.map { ($0, try Regex($0.pattern).wordBoundaryKind(.simple)) }
    }

    /// Returns the files to search.
    static func paths() throws -> [String] {
        let paths = try SourceTree.paths(["Docs", "Plugins", "Sources"]).filter { path in
            path.hasSuffix(".md") || path.hasSuffix(".swift")
        }
        let pages = ["CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md"]
        return (pages + paths).filter { !generated.contains($0) }
    }

    func hits(in path: String) throws -> [Hit] {
        let text = try SourceTree.text(path).lowercased()
        let present = idioms.filter { $0.idiom.parts.contains(where: text.has) }
        if present.isEmpty { return [] }
        let isSwift = path.hasSuffix(".swift")
        var prose = SwiftProse()
        var hits: [Hit] = []
        for (number, line) in text.components(separatedBy: "\n").enumerated() {
            let candidates = present.filter { $0.idiom.parts.contains(where: line.has) }
            if candidates.isEmpty {
                if isSwift { prose.skip(line) }
                continue
            }
            let words = (isSwift ? prose.text(of: line) : line).withoutCodeSpans
            for (idiom, regex) in candidates {
                guard let match = words.firstMatch(of: regex) else { continue }
                hits.append(
                    Hit(
                        path: path, line: number + 1, text: words, phrase: String(words[match.range]),
                        instead: idiom.instead))
            }
        }
        return hits
    }
}

/// Extracts the comments and string literals of Swift code, line by line.
struct SwiftProse {
    /// Whether the next line is in a literal of several lines.
    private var isInLiteral = false

    private static let quote = UInt8(ascii: "\"")
    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")

    /// Passes over a line whose text is not needed.
    mutating func skip(_ line: String) {
        guard line.has("\"\"\"") else { return }
        if line.components(separatedBy: "\"\"\"").count.isMultiple(of: 2) { isInLiteral.toggle() }
    }

    /// Returns the text of a line: its literals, separated by periods, then its comment. Interpolations become "x".
    mutating func text(of line: String) -> String {
        let bytes = Array(line.utf8)
        var text: [UInt8] = []
        var isQuoted = isInLiteral
        var place = 0
        while place < bytes.count {
            let byte = bytes[place], rest = bytes[place...]
            if byte == Self.quote, rest.starts(with: [Self.quote, Self.quote, Self.quote]) {
                isInLiteral.toggle()
                isQuoted = isInLiteral
                place += 3
            } else if byte == Self.quote, !isInLiteral {
                isQuoted.toggle()
                text += ". ".utf8
                place += 1
            } else if !isQuoted, byte == Self.slash, rest.starts(with: [Self.slash, Self.slash]) {
                text += rest.drop { $0 == Self.slash || $0 == UInt8(ascii: " ") }
                break
            } else if isQuoted, byte == Self.backslash {
                let isInterpolation = rest.starts(with: [Self.backslash, UInt8(ascii: "(")])
                place = isInterpolation ? SwiftProse.end(ofInterpolation: place, in: bytes) : place + 2
                if isInterpolation { text.append(UInt8(ascii: "x")) }
            } else {
                if isQuoted { text.append(byte) }
                place += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func end(ofInterpolation start: Int, in bytes: [UInt8]) -> Int {
        var place = start + 2, depth = 1
        while place < bytes.count, depth > 0 {
            if bytes[place] == UInt8(ascii: "(") { depth += 1 }
            if bytes[place] == UInt8(ascii: ")") { depth -= 1 }
            place += 1
        }
        return place
    }
}

extension String {
    /// Whether the text contains another one. Much faster than the collection's method in a debug build.
    fileprivate func has(_ part: String) -> Bool { unsafe withCString { unsafe strstr($0, part) != nil } }

    /// The text with "x" in place of each code span of Markdown.
    fileprivate var withoutCodeSpans: String {
        guard has("`") else { return self }
        let pieces = components(separatedBy: "`")
        // An unpaired backtick is an ordinary character.
        let isPaired = !pieces.count.isMultiple(of: 2)
        return pieces.enumerated().map { number, piece in
            number % 2 == 0 || (number == pieces.count - 1 && !isPaired) ? piece : "x"
        }.joined()
    }
}
