import NetworkingLive
public import PatchbayCore
public import PatchbayDomain
import PatchbayGateway
import SourceGitHub
import SourceSynthetic
import StorageFlatFile
import StorageLMDB
import StorageSQLite

/// The plugins that a program offers to its configuration.
public struct PluginSet: Sendable {
    public let storages: Registry<any Storage>
    public let sources: Registry<ConfiguredSource>
    public let networkings: Registry<any Networking>

    public init(
        storages: [Plugin<any Storage>], sources: [Plugin<ConfiguredSource>],
        networkings: [Plugin<any Networking>] = [.live]
    ) {
        self.storages = Registry("storage", storages)
        self.sources = Registry("source", sources)
        self.networkings = Registry("networking", networkings)
    }

    /// Everything that comes with Patchbay. One line here and one in Package.swift make a plugin known.
    public static var builtIn: PluginSet {
        PluginSet(
            storages: [.sqlite, .lmdb, .flatfile, .memory],
            sources: [.recorded(apis: [.github]), .github, .synthetic])
    }

    /// The choices that a configuration makes, and what holds when it makes none: the first plugin of each kind. Then
    /// the options that belong to no plugin.
    public var kinds: [ConfigurationKind] {
        [
            ConfigurationKind(sources, default: sources.plugins[0].name),
            ConfigurationKind(storages, default: storages.plugins[0].name),
            ConfigurationKind(networkings, default: networkings.plugins[0].name),
            .reading, .users, ConfigurationKind("search", SearchSettings.options),
        ]
    }
}

extension Plugin where Product == any Networking {
    /// The network, through the proxies that the environment of this process names.
    public static var live: Plugin<any Networking> { .live(environment: { ProcessEnvironment.variables }) }
}

extension Plugin where Product == any Storage {
    /// Rows in memory, for trying things out; gone when the process ends.
    public static var memory: Plugin<any Storage> {
        Plugin("memory", "Keeps everything in memory; gone when the process ends.") { _ in MemoryStorage() }
    }
}
