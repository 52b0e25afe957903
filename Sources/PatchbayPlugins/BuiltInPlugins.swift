#if Live
import NetworkingLive
#endif
@_exported public import Patchbay
public import PatchbayCore
public import PatchbayDomain
import SourceGitHub
import SourceREST
import SourceSynthetic
import StorageFlatFile
import StorageLMDB
import StorageSQLite

extension PluginSet {
    /// Everything that comes with Patchbay. One line here and one in Package.swift make a plugin known.
    public static var builtIn: PluginSet {
        PluginSet(
            storages: [.sqlite, .lmdb, .flatfile, .memory],
            sources: [.recorded(apis: [.github, .slack]), .github, .slack, .rest, .synthetic],
            networkings: networkings,
            definitions: [.init("github", Definition.githubText), .init("slack", Definition.slackText)])
    }

    #if Live
    private static let networkings: [Plugin<any Networking>] = [.live()]
    #else
    private static let networkings: [Plugin<any Networking>] = []
    #endif
}

extension Plugin where Product == ConfiguredSource {
    /// GitHub's REST API, asked over the network when a use case asks, and not before.
    public static var github: Plugin<ConfiguredSource> { .asking(.github) }

    /// Slack's Web API.
    public static var slack: Plugin<ConfiguredSource> { .asking(.slack) }

    /// Any API that a definition describes.
    public static var rest: Plugin<ConfiguredSource> {
        .rest(bundled: [.github, .slack]) { .rest($0) }
    }
}
