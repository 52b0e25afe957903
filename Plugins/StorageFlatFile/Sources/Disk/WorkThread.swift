import PatchbayCore

/// Runs long work on a thread of its own, so that waiting for the disk holds up nobody.
actor WorkThread {
    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ label: String) { executor = BlockingExecutor(label: "patchbay.flatfile.\(label)") }

    func run<Result: Sendable>(_ body: @Sendable () throws -> Result) throws -> Result { try body() }
}
