/// Runs long work, such as checks and copies, on a thread of its own.
package actor WorkThread {
    private let executor: BlockingExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(_ label: String) { executor = BlockingExecutor(label: "patchbay.\(label)") }

    /// The closure takes the actor as a parameter, so that it runs on the actor's thread. Without it, Swift 6.3 does
    /// not switch threads for a closure that is not isolated.
    package func run<Result: Sendable>(
        _ body: @Sendable (isolated WorkThread) async throws -> Result
    ) async rethrows -> Result {
        try await body(self)
    }

    /// Waits for work that has started and does not suspend.
    package nonisolated func finish() async { if !executor.isIdle { await run { _ in } } }
}
