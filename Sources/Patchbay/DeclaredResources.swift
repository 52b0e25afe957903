import PatchbayCore
public import PatchbayDomain

/// What a configuration's source can list, show or search, as far as definitions say it: known without opening
/// anything.
public struct DeclaredResources: Sendable {
    /// Whose rows those of ``chosen`` are; nil when there are none.
    public let api: String?
    /// Those of the source that the configuration chooses.
    public let chosen: [ResourceDeclaration]
    /// Those of other bundled definitions whose names are not taken.
    public let others: [ResourceDeclaration]
    /// ``chosen`` and then ``others``.
    package let all: [ResourceDeclaration]

    public init(
        api: String? = nil, chosen: [ResourceDeclaration] = [], others: [ResourceDeclaration] = []
    ) {
        self.api = api
        self.chosen = chosen
        let known = Set(chosen.map(\.name))
        var names = known
        self.others = others.filter { resource in
            // Its parent would be another resource of that name.
            resource.parent.map { !known.contains($0) } ?? true && names.insert(resource.name).inserted
        }
        all = chosen + self.others
    }

    /// Those of the first bundled definition, and then of the others.
    public init(bundledWith plugins: PluginSet) {
        self.init([], plugins.definitions, needsOthers: { _ in true })
    }

    /// Those of a configuration's source, and then of the bundled definitions. A source that may have those of several
    /// APIs, such as a recording, counts as the first.
    ///
    /// - Parameter needsOthers: is called with the chosen resources; false leaves other definitions unread.
    /// - Throws: `invalidConfiguration` when the source cannot be configured, as with a definition that has a fault.
    public init(
        _ configuration: GatewayConfiguration,
        needsOthers: (_ chosen: [ResourceDeclaration]) -> Bool = { _ in true }
    ) async throws {
        let plugin = try configuration.plugins.sources.plugin(
            named: configuration.configuration.plugin("source"))
        let settings = try configuration.settings("source", readsSecrets: false)
        let candidates = try await plugin.open(settings).resources
        self.init(candidates, configuration.plugins.definitions, needsOthers: needsOthers)
    }

    private init(
        _ candidates: [SourceResources], _ bundled: [BundledDefinition],
        needsOthers: ([ResourceDeclaration]) -> Bool
    ) {
        let all =
            candidates
            + bundled.map { bundled in SourceResources(word: bundled.name, bundled.definition.resources) }
        let chosen = all.first?.resources ?? []
        let others = needsOthers(chosen) ? all.dropFirst().flatMap(\.resources) : []
        self.init(api: all.first?.word, chosen: chosen, others: others)
    }
}
