import PatchbayCore
public import PatchbayDomain

/// The definition of an API that a program brings along.
public struct BundledDefinition: Sendable {
    /// What a configuration calls it, such as `slack`.
    public let name: String
    public let text: String

    public init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
    }

    /// Nil when it has a fault.
    var definition: Definition? { Definition.reading(path: name, bytes: Array(text.utf8)).definition }
}

/// What a configuration's source can list, show or search, as far as definitions say it: known without opening
/// anything.
public struct DeclaredResources: Sendable {
    /// Whose rows those of ``chosen`` are; nil when there are none.
    public var api: String?
    /// Those of the source that the configuration chooses.
    public var chosen: [ResourceDeclaration]
    /// Those of other bundled definitions whose names are not taken.
    public var others: [ResourceDeclaration]

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
    }

    /// Those of the first bundled definition, and then of the others.
    public init(bundledWith plugins: PluginSet) {
        let bundled = plugins.definitions.compactMap(\.definition)
        self.init(
            api: bundled.first?.api, chosen: bundled.first?.resources ?? [],
            others: bundled.dropFirst().flatMap(\.resources))
    }

    /// Those of a configuration's source, and then of the bundled definitions. A source that may have those of several
    /// APIs, such as a recording, counts as the first.
    ///
    /// - Throws: `invalidConfiguration` when the source cannot be configured, as with a definition that has a fault.
    public init(_ configuration: GatewayConfiguration) async throws {
        let plugin = try configuration.plugins.sources.plugin(
            named: configuration.configuration.plugin("source"))
        let settings = try configuration.settings("source", readsSecrets: false)
        let candidates = try await plugin.open(settings).resources
        let bundled = DeclaredResources(bundledWith: configuration.plugins)
        guard let first = candidates.first else {
            self = bundled
            return
        }
        let others = candidates.dropFirst().flatMap(\.resources) + bundled.chosen + bundled.others
        self.init(api: first.word, chosen: first.resources, others: others)
    }
}
