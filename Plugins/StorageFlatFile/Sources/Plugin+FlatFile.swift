public import PatchbayCore

extension Plugin where Product == any Storage {
    /// Keeps collections as JSON Lines in a folder.
    public static var flatfile: Plugin<any Storage> {
        Plugin(
            "flatfile", "JSON Lines files in a folder, for jq, grep and git; needs no library",
            options: [
                PluginOption(
                    "path", .path, default: "${XDG_DATA_HOME}/patchbay/${PATCHBAY_SOURCE_NAME}.flatfile",
                    "the folder of the files; it is created when missing, but its parent must exist"),
                .durability,
                PluginOption(
                    "compact-at-percent", .integer(10...95), default: "60",
                    "the percentage of replaced or deleted rows at which a file is rewritten"),
                PluginOption(
                    "busy-timeout-ms", .integer(0...600_000), default: "5000",
                    "how long to wait for another process that writes"),
            ]
        ) { settings in
            FlatFileStorage(
                path: try settings.requiredText("path"), durability: try settings.durability(),
                compactAtPercent: try settings.integer("compact-at-percent") ?? 60,
                busyTimeoutMilliseconds: try settings.integer("busy-timeout-ms") ?? 5_000)
        }
    }
}
