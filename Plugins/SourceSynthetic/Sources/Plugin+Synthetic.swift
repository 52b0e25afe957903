public import PatchbayCore
public import PatchbayDomain

extension Plugin where Product == ConfiguredSource {
    /// Made-up users, generated on demand.
    public static var synthetic: Plugin<ConfiguredSource> {
        Plugin(
            "synthetic", "any number of made-up users, the same for the same seed",
            options: [
                PluginOption(
                    "users", .integer(1...1_000_000_000_000), default: "1000000",
                    "the greatest id; about one id in sixteen is missing"),
                PluginOption("seed", .integer(0...Int.max), default: "1", "seed of the random users"),
                PluginOption(
                    "revision", .integer(0...1_000), default: "0",
                    "state of the users; each revision changes the details of about half"),
                PluginOption(
                    "delay-milliseconds", .integer(0...60_000), default: "0",
                    "duration of each request, in milliseconds"),
            ]
        ) { settings in
            let feed = SyntheticFeed(
                seed: UInt64(try settings.integer("seed") ?? 1),
                idMax: Int64(try settings.integer("users") ?? 1_000_000),
                revision: UInt64(try settings.integer("revision") ?? 0),
                delay: .milliseconds(try settings.integer("delay-milliseconds") ?? 0))
            var source = Source(name: "synthetic users, seed \(feed.seed)")
            source.word = SyntheticFeed.word
            source.resources = [SyntheticFeed.users]
            source.feed = feed
            let resources = [SourceResources(word: SyntheticFeed.word, [SyntheticFeed.users])]
            return ConfiguredSource(resources: resources) { [source] _ in source }
        }
    }
}
