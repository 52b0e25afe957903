import PatchbayCore

/// The names by which people refer to resources of several sources: `repos`, or `github.users` when another source also
/// has `users`.
package struct ResourceNouns: Sendable {
    /// A resource and its source.
    package struct Entry: Sendable {
        /// The prefixes that name the source; messages use the first.
        package var sources: [String]
        /// The definition of the resource, whose name, singular and plural may refer to it.
        package var declaration: ResourceDeclaration

        /// Creates an entry. Without `sources`, the resource is always named without a prefix.
        package init(sources: [String], _ declaration: ResourceDeclaration) {
            self.sources = sources
            self.declaration = declaration
        }
    }

    /// The name of each resource, in the order of the entries.
    package let nouns: [String]
    private let entries: [Entry]

    /// Creates the names of resources; two with the same name are both named with their source.
    package init(_ entries: [Entry]) {
        self.entries = entries
        var counts: [String: Int] = [:]
        for entry in entries { counts[entry.declaration.name, default: 0] += 1 }
        nouns = entries.map { entry in
            let name = entry.declaration.name
            return counts[name] == 1 ? name : entry.sources.first.map { "\($0).\(name)" } ?? name
        }
    }

    /// Creates the names of the resources of open sources.
    package init(_ resources: [Resource]) {
        self.init(resources.map { Entry(sources: [$0.api], $0.declaration) })
    }

    /// Returns the positions of the resources that a text may refer to: by name, or else by singular or plural, with or
    /// without a source before it. There are several when a source must be named, and none when there is no such
    /// resource.
    package func positions(of text: some StringProtocol) -> [Int] {
        guard let dot = text.firstIndex(of: ".") else { return positions(of: String(text)) { _ in true } }
        let source = String(text[..<dot])
        return positions(of: String(text[text.index(after: dot)...])) { $0.sources.contains(source) }
    }

    private func positions(of noun: String, where isMeant: (Entry) -> Bool) -> [Int] {
        // Definitions spell names with hyphens.
        let spelled = noun.withUnderscores
        let meant = entries.indices.filter { isMeant(entries[$0]) }
        let named = meant.filter { entries[$0].declaration.name == spelled }
        if !named.isEmpty { return named }
        return meant.filter { place in
            let declaration = entries[place].declaration
            return [declaration.singular, declaration.plural].contains(noun.withSpaces)
        }
    }
}

/// English nouns in the names of resources.
package enum EnglishNoun {
    /// Nouns that the usual rules get wrong.
    private static let irregular = [
        "aliases": "alias", "caches": "cache", "children": "child", "cookies": "cookie", "indices": "index",
        "movies": "movie", "news": "news", "people": "person", "series": "series", "ties": "tie",
    ]

    /// The noun for one of several: `user` for `users`, `policy` for `policies`, `batch` for `batches`. The last word
    /// counts, and one that is not a plural stays.
    package static func singular(_ plural: String) -> String {
        let last = plural.split { !$0.isLetter }.last.map(String.init) ?? plural
        if let known = irregular[last], plural.hasSuffix(last) { return plural.dropLast(last.count) + known }
        func ends(_ suffixes: String...) -> Bool { suffixes.contains(where: plural.hasSuffix) }
        if ends("ies") { return plural.dropLast(3) + "y" }
        // Those of `status`, `address` and `branch`, but not of `house`, `cause` and `use`.
        let hasLongEnd = ends("ches", "shes", "sses", "xes") || ends("uses") && !ends("auses", "ouses")
        if hasLongEnd, last != "uses" { return String(plural.dropLast(2)) }
        return ends("s") && !ends("ss", "us", "is") && plural != "s" ? String(plural.dropLast()) : plural
    }
}
