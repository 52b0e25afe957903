import PatchbayCore

/// Operations that read the whole file. They run on a thread of their own, so reads and writes do not wait for them.
actor Maintenance {
    private let executor = BlockingExecutor(label: "patchbay.sqlite.maintenance")
    private let options: ConnectionOptions

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    func verify(_ progress: WorkProgress.Handler) throws -> [StorageFault] {
        try options.reading { try FileCheck(connection: $0.connectForMaintenance()).faults(progress) }
    }

    func copy(to path: String, _ progress: WorkProgress.Handler) throws {
        try DatabaseCopy(source: options, path: path).run(progress)
    }

    /// Waits for operations that have started.
    func finish() {}
}
