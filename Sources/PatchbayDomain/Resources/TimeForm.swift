package import PatchbayCore

/// How a time is written in a request: `iso8601`, `date`, `seconds`, `milliseconds`, or a pattern such as
/// `yyyy/MM/dd HH:mm`. All of them are in UTC.
package enum TimeForm: Hashable, Sendable {
    /// `2026-02-01T09:30:00Z`, with a fraction only if it is not zero.
    case iso8601
    /// `2026-02-01`
    case date
    /// Since 1970, in whole seconds.
    case seconds
    /// Since 1970.
    case milliseconds
    /// The letters `yyyy`, `MM`, `dd`, `HH`, `mm`, `ss` and `SSS` become numbers; everything else stays.
    case pattern(String)

    private static let named: [(word: String, form: TimeForm)] = [
        ("iso8601", .iso8601), ("date", .date), ("seconds", .seconds), ("milliseconds", .milliseconds),
    ]

    package func text(of time: Timestamp) -> String {
        switch self {
        case .iso8601: return time.description
        case .date: return String(time.description.prefix { $0 != "T" })
        case .seconds: return String(time.milliseconds / 1_000)
        case .milliseconds: return String(time.milliseconds)
        case .pattern(let pattern): return Self.filled(pattern, with: time)
        }
    }

    /// The length of the shortest difference between two texts.
    package var unit: Duration {
        switch self {
        case .milliseconds: .milliseconds(1)
        case .iso8601, .seconds: .seconds(1)
        case .date: .seconds(86_400)
        case .pattern(let pattern):
            pattern.contains("ss")
                ? .seconds(1)
                : pattern.contains("mm")
                    ? .seconds(60) : pattern.contains("HH") ? .seconds(3_600) : .seconds(86_400)
        }
    }

    private static func filled(_ pattern: String, with time: Timestamp) -> String {
        // 2026-02-01T09:30:00[.000]Z, whose years have four digits.
        let text = Array(time.description)
        let milliseconds = String(1_000 + (time.milliseconds % 1_000 + 1_000) % 1_000).dropFirst()
        let places: [(String, Range<Int>)] = [
            ("yyyy", 0..<4), ("MM", 5..<7), ("dd", 8..<10), ("HH", 11..<13), ("mm", 14..<16), ("ss", 17..<19),
        ]
        var result = pattern.replacing("SSS", with: milliseconds)
        for (word, place) in places { result = result.replacing(word, with: String(text[place])) }
        return result
    }
}

extension TimeForm {
    /// Reads one of the words, or a pattern.
    package init(reading text: String) throws(DefinitionFault) {
        if let known = Self.named.first(where: { $0.word == text }) {
            self = known.form
            return
        }
        let letters = ["yyyy", "MM", "dd", "HH", "mm", "ss", "SSS"].reduce(text) {
            $0.replacing($1, with: "")
        }
        // T and Z are letters of ISO 8601; any other one is probably meant as a part of the time.
        let isKnown = letters.allSatisfy { !$0.isLetter || "TZ".contains($0) }
        guard isKnown, ["yyyy", "MM", "dd"].allSatisfy(text.contains), text.utf8.count <= 64 else {
            let words = Self.named.map(\.word)
            throw DefinitionFault(
                "\"\(text)\"\(EditDistance.suggestion(for: text, in: words)) is not a form of a time; write "
                    + words.joined(separator: ", ") + ", or a pattern of yyyy, MM, dd, HH, mm, ss and SSS")
        }
        self = .pattern(text)
    }
}

extension TimeForm: CustomStringConvertible {
    /// The spelling in a definition.
    package var description: String {
        if case .pattern(let pattern) = self { return pattern }
        return Self.named.first { $0.form == self }!.word
    }
}
