import PatchbayCore

extension DefinitionReader {
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
