public import PatchbayCore
public import PatchbayDomain
import PatchbayNetworking
import SourceGitHub

extension Plugin where Product == ConfiguredSource {
    /// GitHub's REST API, asked over the network when a use case asks, and not before.
    public static var github: Plugin<ConfiguredSource> {
        let limits = RateLimit.Options()
        return Plugin(
            "github", "Asks GitHub's REST API, or a GitHub Enterprise Server.",
            options: [
                PluginOption(
                    "base-url", .text, default: "https://api.github.com",
                    "where the API is; https://HOST/api/v3 for a GitHub Enterprise Server"),
                PluginOption(
                    "token", .secret, "the token to ask with, for this server only; asks without when not set"
                ),
                PluginOption(
                    "wait-at-most-seconds", .integer(0...86_400),
                    default: "\(limits.waitAtMost.components.seconds)",
                    "the longest that one request waits for a rate limit before it fails"),
                PluginOption(
                    "concurrency", .integer(1...100), default: "\(limits.concurrency)",
                    "how many requests go at the same time with a token; one without"),
            ] + PluginOption.recording
        ) { settings in
            let baseURL = try settings.requiredText("base-url")
            guard ["https://", "http://"].contains(where: { baseURL.lowercased().hasPrefix($0) }) else {
                throw settings.error("base-url", "must begin with https://, or http:// for this machine")
            }
            let options = try LayerOptions(settings, baseURL: baseURL)
            let layers = options.layers()
            return ConfiguredSource { networking in
                let network = try await networking().layered(layers)
                var source = SourceAPI.github.open(network, baseURL)
                source.close = {
                    try await network.close()
                    await options.recorder?.close()
                }
                return source
            }
        }
    }
}

extension LayerOptions {
    /// The layers as a source's options have them; ``LayerOptions/layers()`` tells their order.
    fileprivate init(_ settings: Settings, baseURL: String) throws {
        let clock = LayerClock(now: Timestamp.now)
        self.init(clock: clock, log: RequestLog(clock: clock))
        authorization = try settings.text("token").map {
            try Authorization(baseURL: baseURL, token: .value($0))
        }
        rateLimit.waitAtMost =
            try settings.integer("wait-at-most-seconds").map { .seconds($0) } ?? rateLimit.waitAtMost
        rateLimit.concurrency = try settings.integer("concurrency") ?? rateLimit.concurrency
        try record(settings)
    }
}
