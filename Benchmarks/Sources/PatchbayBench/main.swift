// The command with the bare engines as further storages of `compare`.
import BareEngines
import PatchbayCLI
import PatchbayPlugins

await CommandLineTool.run(plugins: .builtIn, engines: [CEngine.sqlite, CEngine.lmdb, CEngine.postgres])
