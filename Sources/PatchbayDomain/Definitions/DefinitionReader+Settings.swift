import PatchbayCore

extension DefinitionReader {
    /// A word in braces in the address is a setting.
    mutating func checkSettings() {
        guard let entry = entries.first(where: { $0.key == "base-url" }), let address = definition.baseURL
        else { return }
        let known = definition.settings(in: address)
        let rest = known.reduce(address) { $0.replacing("{\($1)}", with: "") }
        guard rest.contains(where: { "{}".contains($0) }) else { return }
        let word = rest[(rest.firstIndex(of: "{") ?? rest.startIndex)...].dropFirst().prefix { $0 != "}" }
        let names = definition.settings.map(\.name.withHyphens)
        faults.add(
            entry,
            "{\(word)} is not a setting\(EditDistance.suggestion(for: String(word), in: names)); add a line such as "
                + "setting.\(word.isEmpty ? "NAME" : String(word)) = what it is")
    }

    mutating func readSetting(_ entry: Entry) {
        do throws(DefinitionFault) {
            let word = entry.key.dropFirst("setting.".count), name = try DefinitionWords.name(word)
            if let reserved = Template.reservedWords.first(where: { $0 == word }) {
                throw DefinitionFault("{\(reserved)} has another meaning in addresses; choose another name")
            }
            if SecretNames.isSecret(parameter: word) {
                throw DefinitionFault(
                    "is the name of a secret, which is never a setting; describe it with auth and set source.token"
                )
            }
            definition.settings.append((name, entry.value))
        } catch {
            faults.add(entry, error.problem)
        }
    }

    /// The second words of keys that only affect how rows are shown, edited or kept fresh.
    private static let shownOnly: Set<Substring> = [
        "noun", "columns", "hidden", "website", "favourite", "edit", "fresh", "rate", "key-scope",
        "find", "find-tokens", "each",
    ]

    /// A text that changes with the lines that decide which rows a definition reads, and their values.
    static func fingerprint(_ entries: [Entry]) -> String {
        let lines = entries.filter { entry in
            let words = entry.key.split(separator: ".", maxSplits: 2)
            guard words.count > 1 else { return true }
            // States the default.
            if words[1] == "next", entry.value == "link" { return false }
            return !shownOnly.contains(words[1])
        }.map { "\($0.key) = \($0.value)\n" }
        return String(TextDigest(of: lines.joined()).description.prefix(8))
    }
}
