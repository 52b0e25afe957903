import PatchbayCLI
import PatchbayPlugins

await CommandLineTool.run(plugins: .builtIn)
