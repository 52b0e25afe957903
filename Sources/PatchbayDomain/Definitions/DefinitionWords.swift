import PatchbayCore

/// Reads the values of the grammar, or throws a fault with the valid form.
package enum DefinitionWords {
    /// Splits words at spaces.
    static func split(_ value: String) -> [String] {
        Array(value.utf8).split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Splits a word at an ASCII character, also where nothing is between two. Compares bytes, because every start
    /// reads definitions.
    static func parts(_ word: some StringProtocol, at separator: Unicode.Scalar, max: Int = .max) -> [String]
    {
        Array(word.utf8).split(
            separator: UInt8(ascii: separator), maxSplits: max - 1, omittingEmptySubsequences: false
        )
        .map { String(decoding: $0, as: UTF8.self) }
    }

    /// Reads `site-admin` and returns it as stored: `site_admin`.
    static func name(_ text: some StringProtocol) throws(DefinitionFault) -> String {
        let isName =
            text.utf8.first?.isASCIILowercase == true
            && text.utf8.allSatisfy { $0.isASCIILowercase || $0.isASCIIDigit || $0 == UInt8(ascii: "-") }
        guard isName, text.utf8.count <= nameBytesMax else {
            throw DefinitionFault(
                "\"\(text)\" is not a name; use 1 to \(nameBytesMax) letters a-z, digits and hyphens, a letter first"
            )
        }
        return text.withUnderscores
    }

    package static let nameBytesMax = 48

    static func names(_ value: String) throws(DefinitionFault) -> [String] {
        var names: [String] = []
        for word in split(value) {
            let name = try name(word)
            guard !names.contains(name) else {
                throw DefinitionFault("\"\(word)\" is named twice; remove one")
            }
            names.append(name)
        }
        return names
    }

    /// - Parameters:
    ///   - ofRows: whether the path may end with `1:`, which skips elements before the rows, or with `?`.
    ///   - mayMatch: whether it may choose an element of an array by a member: `link[relation=next]/url`.
    static func path(_ text: String, ofRows: Bool = false, mayMatch: Bool = false) throws(DefinitionFault)
        -> JSONPath
    {
        let mayBeMissing = ofRows && text.hasSuffix("?")
        guard var path = JSONPath(mayBeMissing ? String(text.dropLast()) : text) else {
            throw DefinitionFault(
                "\"\(text)\" is not a path; write member names with slashes between them, "
                    + "such as response_metadata/next_cursor")
        }
        for case .from(let first) in ofRows ? path.steps.dropLast() : path.steps {
            throw DefinitionFault(
                "\"\(text)\" has \(first): where it has no meaning, because it ends a path to rows; write "
                    + "\(first)%3A for a member with this name")
        }
        for case .matching(let member, let text) in mayMatch ? [] : path.steps {
            throw DefinitionFault(
                "\"\(text)\" chooses an element by its member \(member), which only the address of a next page does; "
                    + "write %5B for a [ in a name")
        }
        path.mayBeMissing = mayBeMissing
        return path
    }

    /// One of the words of an enumeration.
    static func choice<Choice: RawRepresentable & CaseIterable>(
        _ text: String, _ type: Choice.Type
    ) throws(DefinitionFault) -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: text) { return choice }
        let words = type.allCases.map(\.rawValue)
        let meant = EditDistance.suggestion(for: text, in: words)
        throw DefinitionFault("\"\(text)\" is not one of \(words.joined(separator: ", "))\(meant)")
    }

    /// `20/minute`.
    static func pace(_ text: String) throws(DefinitionFault) -> Pace {
        let parts = parts(text, at: "/")
        let periods: [String: Duration] = [
            "second": .seconds(1), "minute": .seconds(60), "hour": .seconds(3_600),
        ]
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000).contains(count),
            let period = periods[parts[1]]
        else {
            throw DefinitionFault(
                "\"\(text)\" is not a rate; write N/second, N/minute or N/hour, such as 20/minute")
        }
        return Pace(count, per: period)
    }

    /// `30s`, `5m`, `1h`, `7d` or `forever`.
    package static func age(_ text: String) throws(DefinitionFault) -> Duration {
        if text == "forever" { return .forever }
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()),
            (1...1_000_000).contains(count)
        else {
            throw DefinitionFault(
                "\"\(text)\" is not an age; write a number with s, m, h or d, such as 5m, or forever")
        }
        return .seconds(count * unit)
    }
}

extension Duration {
    /// Longer than any program runs: the age of an answer that is never requested again.
    package static let forever = Duration.seconds(Int64.max / 1_000)
}
