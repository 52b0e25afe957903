#if Live
import NetworkingLive
#endif
@_exported public import Patchbay
public import PatchbayCore
public import PatchbayDomain
#if Live
import ServingHTTP
#endif
import SourceGitHub
import SourceREST
import SourceSynthetic
import StorageFlatFile
import StorageLMDB
import StoragePostgreSQL
import StorageSQLite

extension PluginSet {
    /// All plugins of Patchbay. Adding one takes a line here and one in Package.swift.
    public static var builtIn: PluginSet {
        PluginSet(
            storages: [.sqlite, .lmdb, .flatfile, .postgres, .memory],
            sources: [.recorded(apis: apis) { .rest($0) }] + apis.map { .network($0) { .rest($0) } } + [
                .rest, .synthetic,
            ],
            networkings: networkings, servings: servings,
            definitions: [.github] + definitions)
    }

    private static let definitions: [BundledDefinition] =
        [.slack, .gitlab, .mastodon, .hackernews, .pypi] + BundledDefinition.described

    fileprivate static let apis = [SourceAPI.github] + definitions.map { .rest($0) }

    #if Live
    private static let networkings: [Plugin<any Networking>] = [.live()]
    private static let servings: [Plugin<any Serving>] = [.http]
    #else
    private static let networkings: [Plugin<any Networking>] = []
    private static let servings: [Plugin<any Serving>] = []
    #endif
}

extension Plugin where Product == ConfiguredSource {
    /// GitHub's REST API over the network. Requests are sent only when a use case needs them.
    public static var github: Plugin<ConfiguredSource> { .network(.github) }

    /// Any API described by a definition.
    public static var rest: Plugin<ConfiguredSource> {
        .rest(bundled: PluginSet.apis) { .rest($0) }
    }
}
