/// The names by which people mean resources of several sources: `repos`, or `github.users` where another source has
/// `users`, too.
public struct ResourceNouns: Sendable {
    /// A resource and its source.
    public struct Entry: Sendable {
        /// What a noun may begin with to mean the source; the first is the one that messages use.
        public var sources: [String]
        public var declaration: ResourceDeclaration

        public init(sources: [String], _ declaration: ResourceDeclaration) {
            self.sources = sources
            self.declaration = declaration
        }
    }

    /// What each resource is called, in the order of the entries.
    public let nouns: [String]
    private let entries: [Entry]

    public init(_ entries: [Entry]) {
        self.entries = entries
        var counts: [String: Int] = [:]
        for entry in entries { counts[entry.declaration.name, default: 0] += 1 }
        nouns = entries.map { entry in
            let name = entry.declaration.name
            return counts[name] == 1 ? name : entry.sources.first.map { "\($0).\(name)" } ?? name
        }
    }

    /// The positions of the resources that a text may mean: its name, else its singular or plural, with a source before
    /// it or without. Several when a source must be named; none when there is no such resource.
    public func positions(of text: some StringProtocol) -> [Int] {
        guard let dot = text.firstIndex(of: ".") else { return positions(of: String(text)) { _ in true } }
        let source = String(text[..<dot])
        return positions(of: String(text[text.index(after: dot)...])) { $0.sources.contains(source) }
    }

    private func positions(of noun: String, where isMeant: (Entry) -> Bool) -> [Int] {
        // A definition spells names with hyphens.
        let spelled = noun.replacing("-", with: "_")
        let meant = entries.indices.filter { isMeant(entries[$0]) }
        let named = meant.filter { entries[$0].declaration.name == spelled }
        if !named.isEmpty { return named }
        return meant.filter { place in
            let declaration = entries[place].declaration
            return [declaration.singular, declaration.plural].contains(noun)
        }
    }
}
