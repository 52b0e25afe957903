import PatchbayCore

/// Runs long work on its own thread, so that no other task waits for the disk.
actor WorkThread {
    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ label: String) { executor = BlockingExecutor(label: "patchbay.flatfile.\(label)") }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}
