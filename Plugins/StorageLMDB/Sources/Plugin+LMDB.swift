public import PatchbayCore

extension Plugin where Product == any Storage {
    /// Rows in an LMDB environment, read in place from a memory map.
    public static var lmdb: Plugin<any Storage> {
        Plugin(
            "lmdb", "rows in a memory-mapped B+tree (LMDB): the fastest reads, several processes at once",
            options: [
                PluginOption(
                    "path", .path, default: "${XDG_DATA_HOME}/patchbay/patchbay.lmdb",
                    "the folder with data.mdb and lock.mdb; created when it is not there"),
                .durability,
                PluginOption(
                    "size-mib-max", .integer(1...LMDBStorage.sizeMiBMax),
                    default: "\(LMDBStorage.sizeMiBUsual)",
                    "the size in MiB that data.mdb may reach; address space, not memory, is reserved for it"),
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
