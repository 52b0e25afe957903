import Dispatch
import PatchbayCore

/// Runs part of a check on a thread of its own, where it may block.
actor OwnThread {
    private let executor = BlockingExecutor(label: "patchbay.test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    /// The closure takes the actor as a parameter, so that it runs on the actor's thread. Without it, Swift 6.3 does
    /// not switch threads for a closure that is not isolated.
    func run<Result: Sendable>(
        _ body: @Sendable (isolated OwnThread) async throws -> Result
    ) async rethrows -> Result {
        try await body(self)
    }
}

/// An event that one part of a check signals and another waits for.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
    private let name: String

    /// - Parameter name: the event, for the message when it does not occur.
    init(_ name: String) { self.name = name }

    func send() {
        semaphore.signal()
        arrival.finish()
    }

    /// Waits without blocking a thread, for as long as necessary.
    func arrives() async { for await _ in arrivals {} }

    /// Waits inside a transaction for up to two minutes.
    func wait() throws {
        guard semaphore.wait(timeout: .now() + 120) == .timedOut else { return }
        throw BrokenPromise("waited two minutes, but this did not happen: \(name)")
    }
}
