package import PatchbayCore

extension Definition.Authorization {
    /// Reads the value of `auth` in a definition.
    ///
    /// - Throws: `invalidValue`.
    package init(described words: String) throws(PatchbayError) {
        do throws(DefinitionFault) {
            self = try DefinitionReader.authorization(words.isEmpty ? "?" : words)
        } catch {
            throw PatchbayError(.invalidValue, "the authorisation \(error.problem)")
        }
    }
}

extension DefinitionReader {
    /// A second secret needs a first one and a place of its own.
    mutating func checkSecondSecret() {
        guard let entry = entries.first(where: { $0.key == "auth-second" }) else { return }
        guard definition.authorization != .none else {
            return faults.add(entry, "is the second secret; describe the first one with auth")
        }
        if definition.authorization.place == definition.secondAuthorization.place {
            faults.add(
                entry, "is sent in the same place as the first secret; name another header or parameter")
        }
    }

    static func authorization(_ value: String) throws(DefinitionFault) -> Definition.Authorization {
        let words = DefinitionWords.split(value)
        switch (words[0], words.count) {
        case ("none", 1): return .none
        case ("bearer", 1): return .bearer
        case ("basic", 1): return .basic
        case ("header", 2...):
            return .header(name: words[1], prefix: try prefix(in: value, words))
        case ("query", 2): return .query(name: words[1])
        default:
            throw DefinitionFault(
                "\"\(value)\" is not one of bearer, basic, header NAME [PREFIX], query NAME, none")
        }
    }

    private static let prefixBytesMax = 100

    /// What comes before the token in a header: a word and a space, or any text in quotes.
    private static func prefix(in value: String, _ words: [String]) throws(DefinitionFault) -> String? {
        guard words.count > 2 else { return nil }
        let rest = value.drop { $0 == " " }.dropFirst(words[0].count).drop { $0 == " " }
            .dropFirst(words[1].count).drop { $0 == " " }
        let text = rest.dropFirst().dropLast(), isQuoted = rest.hasPrefix("\"") && rest.hasSuffix("\"")
        if isQuoted, rest.count > 2 {
            let isAllowed = text.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }
            guard isAllowed, text.utf8.count <= prefixBytesMax else {
                throw DefinitionFault(
                    "the text before the token has characters that are not allowed, or more than \(prefixBytesMax)"
                )
            }
            return String(text)
        }
        guard words.count == 3, !rest.contains(where: { "\"=".contains($0) }) else {
            let plain = rest.filter { $0 != "\"" }
            throw DefinitionFault(
                "\"\(value)\" has a text before the token that is not one word; write it in quotes, with a space at its"
                    + " end if there is one: header \(words[1]) \"\(plain)\"")
        }
        return words[2] + " "
    }
}

extension Definition.Authorization {
    /// The header field or the parameter that carries the secret.
    package var place: String {
        switch self {
        case .none: ""
        case .bearer, .basic: "header authorization"
        case .header(let name, _): "header " + name.lowercased()
        case .query(let name): "query " + name
        }
    }
}
