import Synchronization

/// Tells observers which collections may have changed.
///
/// A commit of this process tells the collections that it touched. Over a storage that several processes share, the
/// feed also looks at the storage's revision while somebody observes, 20 times a second, and tells every collection
/// when it has changed; so a commit of this process may be told twice, and the first notice may tell of nothing new.
///
/// A slow observer sees fewer notices, each with all that came since the one before; it holds no memory up.
public final class ChangeFeed: Sendable {
    private struct State {
        var nextNumber = 0
        var observers: [Int: Observer] = [:]
        var isFinished = false
        /// Runs while there are observers.
        var polling: Task<Void, Never>?
    }

    private struct Observer {
        var pending: Set<String> = []
        let wake: AsyncStream<Void>.Continuation
    }

    private let state = Mutex(State())
    private let poll: RevisionPoll?

    /// - Parameter poll: finds the commits of other processes; nil when there are none to find.
    init(_ poll: RevisionPoll? = nil) { self.poll = poll }

    deinit { finish() }

    /// Ends the streams, those to come too; their continuations do not end them by going away.
    func finish() {
        let (wakes, polling) = state.withLock { state in
            state.isFinished = true
            return (state.observers.values.map(\.wake), state.polling.take())
        }
        polling?.cancel()
        for wake in wakes { wake.finish() }
    }

    /// How many streams are observed.
    var observerCount: Int { state.withLock { $0.observers.count } }
    var isPolling: Bool { state.withLock { $0.polling != nil } }

    /// The notices from now on, until the stream is dropped.
    public func stream() -> AsyncStream<Set<String>> {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.observers[state.nextNumber] = Observer(wake: wake)
            if state.isFinished {
                wake.finish()
            } else if state.polling == nil {
                state.polling = startPolling()
            }
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
        let polling = state.withLock { state in
            state.observers[number] = nil
            return state.observers.isEmpty ? state.polling.take() : nil
        }
        polling?.cancel()
    }

    private func startPolling() -> Task<Void, Never>? {
        guard let poll else { return nil }
        return Task { [weak self] in await poll.run { self?.send($0) } }
    }

    func send(_ collections: Set<String>) {
        guard !collections.isEmpty else { return }
        let wakes = state.withLock { state in
            for number in state.observers.keys {
                state.observers[number]!.pending.formUnion(collections)
            }
            return state.observers.values.map(\.wake)
        }
        // Not under the lock: waking a task waits until nobody is cancelling it, and who cancels it calls `forget`.
        for wake in wakes { wake.yield() }
    }
}
