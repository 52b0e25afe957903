import FeedSource
import Patchbay
import PatchbayCLI
import StorageSQLite

// With the package's trait "Live" and the product NetworkingLive, networkings: [.live()] lets the source "feed" send
// requests to a real server.
await CommandLineTool.run(
    plugins: PluginSet(
        storages: [.sqlite, .memory], sources: [.recorded(apis: [.feed]), .network(.feed)]))
