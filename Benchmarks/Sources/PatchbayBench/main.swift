// The command with the bare engines as further storages of `compare`.
import BareEngines
import PatchbayCLI
import PatchbayCompare
import PatchbayPlugins

await CommandLineTool.run(plugins: .builtIn, engines: [.sqlite, .lmdb, .postgres])
