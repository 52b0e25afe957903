import PatchbayCore
import PatchbayNetworking

/// What stands between a source that asks a network and the networking plugin.
enum SourceLayers {
    /// From the network to the source: a request meets the last one first.
    static func inOrder() -> [any NetworkingLayer] {
        [
            Redirects()
        ]
    }
}
