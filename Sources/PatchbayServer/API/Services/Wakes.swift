import Synchronization

/// Wakes listeners. A busy listener is woken once, no matter how many wakes were sent.
final class Wakes: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Returns the wakes from now on, until the stream is dropped.
    func stream() -> AsyncStream<Void> {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = wake
            return state.nextNumber
        }
        wake.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return wakes
    }

    func wake() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }
}
