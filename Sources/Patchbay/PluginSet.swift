public import PatchbayCore
public import PatchbayDomain
import PatchbayGateway

/// The plugins that a configuration of a program can choose.
///
///     let plugins = PluginSet(storages: [.sqlite], sources: [.recorded(apis: [.github])])
///
/// The first plugin of a kind is the default.
public struct PluginSet: Sendable {
    /// The plugins that store rows.
    package let storages: Registry<any Storage>
    /// The plugins that provide rows.
    package let sources: Registry<ConfiguredSource>
    /// The plugins through which sources reach a network or a recording.
    package let networkings: Registry<any Networking>
    /// Plugins that receive requests of other programs; the first is used.
    package let servings: Registry<any Serving>
    /// The definitions of APIs that a configuration may name.
    package let definitions: [BundledDefinition]
    /// The choices of a configuration and their defaults, which are the first plugin of each kind, followed by the
    /// options that do not belong to a plugin.
    package let kinds: [ConfigurationKind]

    /// - Parameters:
    ///   - networkings: how sources reach a network; empty for a program whose sources need none.
    ///   - servings: how other programs reach this one; empty for a program that does not serve.
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
            .reading, .list, ConfigurationKind("search", SearchSettings.options), .serving, .clients, .agents,
        ].compactMap { $0 }
    }

    /// These plugins followed by further ones.
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
    /// Nil when there is nothing to choose from.
    fileprivate init?<Product>(
        _ registry: Registry<Product>, common: [PluginOption] = [], takesSeveral: Bool = false
    ) {
        guard let first = registry.plugins.first else { return nil }
        self.init(registry, default: first.name, common: common, takesSeveral: takesSeveral)
    }
}

extension PluginOption {
    /// The prefix of a source's collections.
    static let word = PluginOption(
        "as", .word,
        "the prefix of the names of the source's collections, instead of its API's word or the "
            + "source's own name: two servers of one API in one storage need two words")
}

extension Plugin where Product == any Storage {
    /// Rows in memory, for trials; lost when the process ends.
    public static var memory: Plugin<any Storage> {
        Plugin("memory", "everything in memory; lost when the process ends") { _ in MemoryStorage() }
    }
}
