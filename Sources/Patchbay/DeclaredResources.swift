import PatchbayCore
package import PatchbayDomain

/// A resource, its source and its noun.
package struct DeclaredResource: Sendable {
    /// The resource as its definition declares it.
    package let declaration: ResourceDeclaration
    /// The prefix of its collection's name.
    package let word: String
    /// The name of its source in the configuration; nil for a resource without a source in the configuration.
    package let source: String?
    /// The name that people use: `repos`, or `github.users` when several sources have users.
    package let noun: String
}

/// The resources of a configuration's sources according to their definitions, known without opening anything.
package struct DeclaredResources: Sendable {
    /// The resources of the configured sources, in order.
    package let chosen: [DeclaredResource]
    /// The resources of other bundled definitions whose names are not taken.
    package let others: [DeclaredResource]
    /// ``chosen`` followed by ``others``.
    package let all: [DeclaredResource]
    /// The names of the sources; empty without a configuration.
    package let sources: [String]
    private let nouns: ResourceNouns

    /// The resources of a source, and of some other definitions.
    package init(
        word: String = "source", chosen: [ResourceDeclaration] = [], others: [ResourceDeclaration] = []
    ) {
        self.init([(name: nil, SourceResources(word: word, chosen))]) { _ in
            [SourceResources(word: word, others)]
        }
    }

    /// The resources of the first bundled definition, followed by those of the others.
    package init(bundledWith plugins: PluginSet) {
        let bundled = plugins.definitions.map { SourceResources(word: $0.name, $0.definition.resources) }
        self.init(bundled.prefix(1).map { (name: nil, $0) }) { _ in Array(bundled.dropFirst()) }
    }

    /// The resources of a configuration's sources, followed by those of the bundled definitions. A source that may have
    /// the resources of several APIs, such as a recording, counts as the first.
    ///
    /// - Parameter needsOthers: called with the resources of the sources; returning false leaves other definitions
    ///   unread.
    /// - Throws: `invalidConfiguration` when a source cannot be configured, as when its definition has a fault, or when
    ///   two sources have the same word.
    package init(
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
        // A source without declared resources counts as the first bundled one.
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

    /// The resources whose names are not taken.
    private static func free(
        _ others: [SourceResources], beside chosen: [DeclaredResource]
    ) -> [DeclaredResource] {
        let known = Set(chosen.map(\.declaration.name))
        var names = known
        return others.flatMap { source in
            source.resources.filter { resource in
                // Its parent would be another resource with that name.
                resource.parent.map { !known.contains($0) } ?? true && names.insert(resource.name).inserted
            }.map { DeclaredResource(declaration: $0, word: source.word, source: nil, noun: $0.name) }
        }
    }

    /// The resources that a word may refer to: by noun, name, singular or plural. There are several when the source
    /// must be named.
    package func meant(by word: String) -> [DeclaredResource] {
        let places = nouns.positions(of: word)
        if !places.isEmpty { return places.map { chosen[$0] } }
        let spelled = word.withUnderscores
        let named = others.first { $0.declaration.name == spelled }
        let meant =
            named ?? others.first { [$0.declaration.singular, $0.declaration.plural].contains(word) }
        return meant.map { [$0] } ?? []
    }

    /// The declaration of an open source's resource.
    package func declared(_ resource: Resource) -> DeclaredResource? {
        chosen.first { $0.word == resource.api && $0.declaration.name == resource.name }
    }

    /// The resource to whose rows a list of another one belongs.
    package func parent(of list: ListDeclaration, _ resource: DeclaredResource) -> DeclaredResource? {
        guard let parent = list.template.parent else { return nil }
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
