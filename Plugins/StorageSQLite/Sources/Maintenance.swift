import PatchbayCore

/// Work that reads the whole file, on a thread of its own: neither reads nor writes wait for it.
actor Maintenance {
    private let executor = BlockingExecutor(label: "patchbay.sqlite.maintenance")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func verify(_ options: ConnectionOptions, _ progress: Progress.Handler) throws -> [StorageFault] {
        try FileCheck(connection: try options.connectForMaintenance()).faults(progress)
    }

    func copy(_ options: ConnectionOptions, to path: String, _ progress: Progress.Handler) throws {
        try DatabaseCopy(source: options, path: path).run(progress)
    }

    /// Waits for what was begun.
    func finish() {}
}
