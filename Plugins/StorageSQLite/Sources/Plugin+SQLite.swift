public import PatchbayCore

extension Plugin where Product == any Storage {
    /// `storage = sqlite`: one SQLite file.
    ///
    /// Opening the plugin reads only the settings; the file is not touched until the storage opens its schema.
    public static var sqlite: Plugin<any Storage> {
        Plugin(
            "sqlite", "one SQLite file with a table for each collection; any SQL tool reads it",
            options: options
        ) {
            SQLiteStorage(
                path: try $0.requiredText("path"), durability: try $0.durability(),
                busyTimeoutMilliseconds: try $0.integer("busy-timeout-ms") ?? 5_000,
                readersMax: try $0.integer("readers-max") ?? 8)
        }
    }

    private static var options: [PluginOption] {
        [
            PluginOption(
                "path", .path, default: "${XDG_DATA_HOME}/patchbay/${PATCHBAY_SOURCE_NAME}.sqlite",
                "the database file; its folder must exist"),
            .durability,
            PluginOption(
                "busy-timeout-ms", .integer(0...600_000), default: "5000",
                "milliseconds to wait for another process that holds the database"),
            PluginOption(
                "readers-max", .integer(1...64), default: "8",
                "the number of reads that may run at the same time"),
        ]
    }
}
