import PatchbayCLI

await CommandLineTool.run()
