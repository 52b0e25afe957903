public import PatchbayCore
public import PatchbayDomain
import PatchbayGateway

/// The plugins that a program offers to its configuration.
///
///     let plugins = PluginSet(storages: [.sqlite], sources: [.recorded(apis: [.github])])
///
/// The first plugin of a kind holds when a configuration makes no choice.
public struct PluginSet: Sendable {
    public let storages: Registry<any Storage>
    public let sources: Registry<ConfiguredSource>
    public let networkings: Registry<any Networking>
    /// What brings requests of other programs from the wire; the first is used.
    public let servings: Registry<any Serving>
    /// The definitions of APIs that a configuration may name.
    public let definitions: [BundledDefinition]
    /// The choices that a configuration makes, and what holds when it makes none: the first plugin of each kind. Then
    /// the options that belong to no plugin.
    public let kinds: [ConfigurationKind]

    /// - Parameters:
    ///   - networkings: how sources reach a network; none for a program whose sources need none.
    ///   - servings: how other programs reach this one; none for a program that serves none.
    public init(
        storages: [Plugin<any Storage>], sources: [Plugin<ConfiguredSource>],
        networkings: [Plugin<any Networking>] = [], servings: [Plugin<any Serving>] = [],
        definitions: [BundledDefinition] = []
    ) {
        self.storages = Registry("storage", storages)
        self.sources = Registry("source", sources)
        self.networkings = Registry("networking", networkings)
        self.servings = Registry("serving", servings)
        self.definitions = definitions
        kinds = [
            ConfigurationKind(self.sources, common: [.word], takesSeveral: true),
            ConfigurationKind(self.storages), ConfigurationKind(self.networkings),
            .reading, .list, ConfigurationKind("search", SearchSettings.options), .serving,
        ].compactMap { $0 }
    }

    /// These plugins and some more, behind them.
    public func adding(
        storages: [Plugin<any Storage>] = [], sources: [Plugin<ConfiguredSource>] = [],
        networkings: [Plugin<any Networking>] = [], servings: [Plugin<any Serving>] = [],
        definitions: [BundledDefinition] = []
    ) -> PluginSet {
        PluginSet(
            storages: self.storages.plugins + storages, sources: self.sources.plugins + sources,
            networkings: self.networkings.plugins + networkings,
            servings: self.servings.plugins + servings,
            definitions: self.definitions + definitions)
    }
}

extension ConfigurationKind {
    /// Nil where there is nothing to choose from.
    fileprivate init?<Product>(
        _ registry: Registry<Product>, common: [PluginOption] = [], takesSeveral: Bool = false
    ) {
        guard let first = registry.plugins.first else { return nil }
        self.init(registry, default: first.name, common: common, takesSeveral: takesSeveral)
    }
}

extension PluginOption {
    /// The word that a source's collections begin with.
    static let word = PluginOption(
        "as", .word,
        "the word that the names of the source's collections begin with, when it is not to be its API's or the "
            + "source's own name: two servers of one API in one storage need two words")
}

extension Plugin where Product == any Storage {
    /// Rows in memory, for trying things out; gone when the process ends.
    public static var memory: Plugin<any Storage> {
        Plugin("memory", "everything in memory; gone when the process ends") { _ in MemoryStorage() }
    }
}
