import Dispatch
import Synchronization

/// Stops a storage's own thread at a point until a test releases it.
final class Gate: Sendable {
    private let opening = DispatchSemaphore(value: 0)
    private let isClosed = Atomic<Bool>(false)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    /// Stops the next thread that arrives. An open gate lets all threads pass.
    func close() { isClosed.store(true, ordering: .sequentiallyConsistent) }

    /// Reports that the thread has arrived, and waits if the gate is closed; ten minutes at most, so that a failing
    /// test ends.
    func pass() {
        guard isClosed.exchange(false, ordering: .sequentiallyConsistent) else { return }
        arrival.yield()
        _ = opening.wait(timeout: .now() + 600)
    }

    func open() { opening.signal() }

    /// Waits until a thread is at the gate, without blocking a thread.
    func isReached() async { for await _ in arrivals { return } }
}

/// Ends the loops of other tasks.
final class Flag: Sendable {
    private let flag = Atomic<Bool>(false)

    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }
}
