import PatchbayCore

/// Runs long reads, such as checks and copies, on their own thread, so that writes continue meanwhile.
actor Maintenance {
    private let executor = BlockingExecutor(label: "patchbay.lmdb.maintenance")

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result { try body() }
}
