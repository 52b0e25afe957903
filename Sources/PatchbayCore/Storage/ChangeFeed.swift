import Synchronization

/// Tells observers which collections a commit of this process touched.
///
/// A slow observer sees fewer notices, each with all that came since the one before; it holds no memory up.
public final class ChangeFeed: Sendable {
    private struct State {
        var nextNumber = 0
        var observers: [Int: Observer] = [:]
    }

    private struct Observer {
        var pending: Set<String> = []
        let wake: AsyncStream<Void>.Continuation
    }

    private let state = Mutex(State())

    init() {}

    /// Ends the streams; their continuations do not end them by going away.
    deinit {
        for observer in state.withLock({ $0.observers.values.map(\.wake) }) { observer.finish() }
    }

    /// How many streams are observed.
    var observerCount: Int { state.withLock { $0.observers.count } }

    /// The notices from now on, until the stream is dropped.
    public func stream() -> AsyncStream<Set<String>> {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = Observer(wake: wake)
            return state.nextNumber
        }
        wake.onTermination = { [weak self] _ in self?.forget(number) }
        return AsyncStream { [weak self] in
            // A wake may come for what the notice before it has told already.
            for await _ in wakes {
                guard let pending = self?.takePending(number) else { return nil }
                if !pending.isEmpty { return pending }
            }
            return nil
        } onCancel: {
            wake.finish()
        }
    }

    private func takePending(_ number: Int) -> Set<String> {
        state.withLock { state in
            let pending = state.observers[number]?.pending ?? []
            state.observers[number]?.pending = []
            return pending
        }
    }

    private func forget(_ number: Int) {
        state.withLock { _ = $0.observers.removeValue(forKey: number) }
    }

    func send(_ collections: Set<String>) {
        guard !collections.isEmpty else { return }
        state.withLock { state in
            for number in state.observers.keys {
                state.observers[number]!.pending.formUnion(collections)
                state.observers[number]!.wake.yield()
            }
        }
    }
}
