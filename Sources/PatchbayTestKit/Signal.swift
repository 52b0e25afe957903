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
    func wait() throws {
        guard semaphore.wait(timeout: .now() + 120) == .timedOut else { return }
        throw BrokenPromise("waited two minutes, but this did not happen: \(name)")
    }
}
