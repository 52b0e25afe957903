import Dispatch
import PatchbayCore

/// Runs a piece of a check on a thread of its own, where waiting holds nobody up.
actor OwnThread {
    private let executor = BlockingExecutor(label: "patchbay.test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// The closure takes the actor, so that it and what it calls run on the actor's thread: without the
    /// parameter Swift 6.3 leaves out the change of thread before a closure that is not isolated.
    func run<Result: Sendable>(
        _ body: @Sendable (isolated OwnThread) async throws -> Result
    ) async rethrows -> Result {
        try await body(self)
    }
}

/// Something that one piece of a check says and another waits for.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    private let name: String

    /// - Parameter name: what has happened when the signal comes, for the message when it does not.
    init(_ name: String) { self.name = name }

    func send() {
        semaphore.signal()
        arrival.finish()
    }

    /// Waits without holding a thread, for as long as it takes.
    func arrives() async { for await _ in arrivals {} }

    /// Waits inside a transaction, two minutes at most.
    func wait() throws {
        guard semaphore.wait(timeout: .now() + 120) == .timedOut else { return }
        throw BrokenPromise("waited two minutes, but this did not happen: \(name)")
    }
}
