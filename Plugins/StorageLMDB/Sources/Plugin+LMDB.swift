public import PatchbayCore

extension Plugin where Product == any Storage {
    /// Keeps rows in an LMDB environment and reads them in place from a memory map.
    public static var lmdb: Plugin<any Storage> {
        Plugin(
            "lmdb", "rows in a memory-mapped B+tree (LMDB): the fastest reads, several processes at once",
            options: [
                PluginOption(
                    "path", .path, default: "${XDG_DATA_HOME}/patchbay/${PATCHBAY_SOURCE_NAME}.lmdb",
                    "the folder of data.mdb and lock.mdb; it is created when missing, but its parent must exist"
                ),
                .durability,
                PluginOption(
                    "size-mib-max", .integer(1...LMDBStorage.sizeMiBMax),
                    default: "\(LMDBStorage.sizeMiBUsual)",
                    "the maximum size of data.mdb in MiB; it reserves address space, not memory"),
                PluginOption(
                    "busy-timeout-ms", .integer(0...600_000),
                    default: "\(LMDBStorage.busyTimeoutMillisecondsUsual)",
                    "milliseconds to wait for another process that writes, opens or compacts the storage"),
            ]
        ) { settings in
            LMDBStorage(
                path: try settings.requiredText("path"), durability: try settings.durability(),
                sizeMiBMax: try settings.integer("size-mib-max") ?? LMDBStorage.sizeMiBUsual,
                busyTimeoutMilliseconds: try settings.integer("busy-timeout-ms")
                    ?? LMDBStorage.busyTimeoutMillisecondsUsual)
        }
    }
}
