import Dispatch
import Synchronization

/// Holds a storage's own thread at a point until a test lets it go on.
final class Gate: Sendable {
    private let opening = DispatchSemaphore(value: 0)
    private let isClosed = Atomic<Bool>(false)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    /// Holds the next thread that comes; before that, all pass.
    func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }

    /// Says that the thread has come here, and waits; ten minutes at most, so that a failing test ends.
    func pass() {
        guard isClosed.exchange(false, ordering: .sequentiallyConsistent) else { return }
        arrival.yield()
        _ = opening.wait(timeout: .now() + 600)
    }

    func open() { opening.signal() }

    /// Waits until a thread is at the gate, without holding one.
    func isReached() async { for await _ in arrivals { return } }
}
