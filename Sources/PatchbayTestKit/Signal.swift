import Dispatch
import PatchbayCore

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
    ///
    /// - Parameter step: runs every five seconds meanwhile, so that a server does not end the transaction as idle.
    func wait(meanwhile step: () throws -> Void = {}) throws {
        for _ in 0..<24 {
            guard semaphore.wait(timeout: .now() + 5) == .timedOut else { return }
            try step()
        }
        throw BrokenPromise("waited two minutes, but this did not happen: \(name)")
    }
}
