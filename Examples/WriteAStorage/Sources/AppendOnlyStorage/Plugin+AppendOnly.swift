public import Patchbay

extension Plugin where Product == any Storage {
    /// One file that only grows, with all rows in memory.
    public static var appendOnly: Plugin<any Storage> {
        Plugin(
            "append-only", "Keeps all rows in memory and every change in one file that only grows.",
            options: [
                PluginOption(
                    "path", .path, default: "${HOME}/.local/share/patchbay/patchbay.append-only",
                    "the file; created when it does not exist"),
                .durability,
            ]
        ) { settings in
            AppendOnlyStorage(
                path: try settings.requiredText("path"), durability: try settings.durability())
        }
    }
}
