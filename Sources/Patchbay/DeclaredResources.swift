import PatchbayCore
public import PatchbayDomain

/// A resource, its source and its noun.
public struct DeclaredResource: Sendable {
    public let declaration: ResourceDeclaration
    /// The beginning of its collection's name.
    public let word: String
    /// The name of its source in the configuration; nil for a resource that no source of the configuration has.
    public let source: String?
    /// What people call it: `repos`, or `github.users` where several sources have users.
    public let noun: String
}

/// What a configuration's sources can list, show or search, as far as definitions say it: known without opening
/// anything.
public struct DeclaredResources: Sendable {
    /// Those of the sources that the configuration lists, in their order.
    public let chosen: [DeclaredResource]
    /// Those of other bundled definitions whose names are not taken.
    public let others: [DeclaredResource]
    /// ``chosen`` and then ``others``.
    package let all: [DeclaredResource]
    /// The names of the sources; none where no configuration says so.
    public let sources: [String]
    private let nouns: ResourceNouns

    /// The resources of a source, and some of other definitions.
    public init(
        word: String = "source", chosen: [ResourceDeclaration] = [], others: [ResourceDeclaration] = []
    ) {
        self.init([(name: nil, SourceResources(word: word, chosen))]) { _ in
            [SourceResources(word: word, others)]
        }
    }

    /// Those of the first bundled definition, and then of the others.
    public init(bundledWith plugins: PluginSet) {
        let bundled = plugins.definitions.map { SourceResources(word: $0.name, $0.definition.resources) }
        self.init(bundled.prefix(1).map { (name: nil, $0) }) { _ in Array(bundled.dropFirst()) }
    }

    /// Those of a configuration's sources, and then of the bundled definitions. A source that may have those of several
    /// APIs, such as a recording, counts as the first.
    ///
    /// - Parameter needsOthers: is called with the resources of the sources; false leaves other definitions unread.
    /// - Throws: `invalidConfiguration` when a source cannot be configured, as with a definition that has a fault, or
    ///   two sources have one word.
    public init(
        _ configuration: GatewayConfiguration,
        needsOthers: (_ chosen: DeclaredResources) -> Bool = { _ in true }
    ) async throws {
        let declared = try await configuration.declaredSources()
        let bundled = configuration.plugins.definitions.map { bundled in
            SourceResources(word: bundled.name, bundled.definition.resources)
        }
        var chosen = declared.compactMap { each in
            each.resources.first.map { (name: String?.some(each.source.name), $0) }
        }
        var others = declared.flatMap { $0.resources.dropFirst() } + bundled
        // A source that says nothing beforehand counts as the first of the bundled ones.
        if chosen.isEmpty, !others.isEmpty {
            chosen = [(name: declared.first?.source.name, others.removeFirst())]
        }
        self.init(chosen) { [others] in needsOthers($0) ? others : [] }
    }

    private init(
        _ sources: [(name: String?, resources: SourceResources)],
        others: (DeclaredResources) -> [SourceResources]
    ) {
        let all = sources.flatMap { name, source in
            source.resources.map { (word: source.word, source: name, $0) }
        }
        let nouns = ResourceNouns(
            all.map { .init(sources: [$0.word] + ($0.source.map { [$0] } ?? []), $0.2) })
        let chosen = zip(all, nouns.nouns).map {
            DeclaredResource(declaration: $0.2, word: $0.word, source: $0.source, noun: $1)
        }
        let names = sources.compactMap(\.name)
        let known = DeclaredResources(chosen: chosen, others: [], sources: names, nouns)
        let free = DeclaredResources.free(others(known), beside: chosen)
        self.init(chosen: chosen, others: free, sources: names, nouns)
    }

    private init(
        chosen: [DeclaredResource], others: [DeclaredResource], sources: [String], _ nouns: ResourceNouns
    ) {
        self.chosen = chosen
        self.others = others
        self.sources = sources
        self.nouns = nouns
        all = chosen + others
    }

    /// Those whose names are not taken.
    private static func free(
        _ others: [SourceResources], beside chosen: [DeclaredResource]
    ) -> [DeclaredResource] {
        let known = Set(chosen.map(\.declaration.name))
        var names = known
        return others.flatMap { source in
            source.resources.filter { resource in
                // Its parent would be another resource of that name.
                resource.parent.map { !known.contains($0) } ?? true && names.insert(resource.name).inserted
            }.map { DeclaredResource(declaration: $0, word: source.word, source: nil, noun: $0.name) }
        }
    }

    /// The resources that a word may mean: its noun, name, singular or plural. Several when the source must be named.
    package func meant(by word: String) -> [DeclaredResource] {
        let places = nouns.positions(of: word)
        if !places.isEmpty { return places.map { chosen[$0] } }
        let spelled = word.replacing("-", with: "_")
        let named = others.first { $0.declaration.name == spelled }
        let meant =
            named ?? others.first { [$0.declaration.singular, $0.declaration.plural].contains(word) }
        return meant.map { [$0] } ?? []
    }

    /// The resource that the lists of another one belong to.
    package func parent(of resource: DeclaredResource) -> DeclaredResource? {
        guard let parent = resource.declaration.parent else { return nil }
        return all.first {
            $0.declaration.name == parent && $0.word == resource.word && $0.source == resource.source
        }
    }

    /// The resources whose lists belong to a resource.
    package func children(of resource: DeclaredResource) -> [DeclaredResource] {
        all.filter {
            $0.declaration.parent == resource.declaration.name && $0.word == resource.word
                && $0.source == resource.source
        }
    }
}
