public import PatchbayCore
public import PatchbayDomain
import SourceGitHub

extension Plugin where Product == ConfiguredSource {
    /// GitHub's REST API, asked over the network when a use case asks, and not before.
    public static var github: Plugin<ConfiguredSource> {
        Plugin(
            "github", "Asks GitHub's REST API, or a GitHub Enterprise Server.",
            options: [
                PluginOption(
                    "base-url", .text, default: "https://api.github.com",
                    "where the API is; https://HOST/api/v3 for a GitHub Enterprise Server")
            ]
        ) { settings in
            let baseURL = try settings.requiredText("base-url")
            guard ["https://", "http://"].contains(where: { baseURL.lowercased().hasPrefix($0) }) else {
                throw settings.error("base-url", "must begin with https://, or http:// for this machine")
            }
            return ConfiguredSource { networking in
                let network = try await networking().layered(SourceLayers.inOrder())
                var source = SourceAPI.github.open(network, baseURL)
                source.close = { try await network.close() }
                return source
            }
        }
    }
}
