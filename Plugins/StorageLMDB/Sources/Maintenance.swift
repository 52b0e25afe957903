import PatchbayCore

/// Runs what reads for long, checks and copies, on a thread of its own, so that writes go on meanwhile.
actor Maintenance {
    private let executor = BlockingExecutor(label: "patchbay.lmdb.maintenance")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result { try body() }
}
