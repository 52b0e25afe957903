// PatchbayCLI
