import AppendOnlyStorage
import Patchbay
import PatchbayCLI
import SourceGitHub
import SourceSynthetic
import StorageSQLite

// With the product PatchbayPlugins instead of the single plugins: .builtIn.adding(storages: [.appendOnly])
await CommandLineTool.run(
    plugins: PluginSet(
        storages: [.appendOnly, .sqlite, .memory], sources: [.recorded(apis: [.github]), .synthetic]))
