import Synchronization

/// Notifies observers of collections that may have changed.
///
/// A commit of this process reports the collections that it changed. If several processes share the storage, the feed
/// also checks the storage's revision 20 times a second while there are observers, and reports every collection when it
/// has changed. So a commit of this process may be reported twice, and the first notice may report nothing new.
///
/// A slow observer receives fewer notices, each with all changes since the previous one; no memory accumulates.
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

    /// - Parameter poll: detects the commits of other processes; nil when there are no other processes.
    init(_ poll: RevisionPoll? = nil) { self.poll = poll }

    deinit { finish() }

    /// Ends all streams, including future ones. Releasing their continuations would not end them.
    func finish() {
        let (wakes, polling) = state.withLock { state in
            state.isFinished = true
            return (state.observers.values.map(\.wake), state.polling.take())
        }
        polling?.cancel()
        for wake in wakes { wake.finish() }
    }

    /// Whether the store was closed.
    package var isFinished: Bool { state.withLock { $0.isFinished } }
    /// The number of observed streams.
    var observerCount: Int { state.withLock { $0.observers.count } }
    var isPolling: Bool { state.withLock { $0.polling != nil } }

    /// The notices from now on, until the stream is released.
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
            // The previous notice may already have reported the changes of a wake-up.
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
        return Task(executorPreference: StorageThread()) { [weak self] in
            await poll.run { self?.send($0) }
        }
    }

    func send(_ collections: Set<String>) {
        guard !collections.isEmpty else { return }
        let wakes = state.withLock { state in
            for number in state.observers.keys {
                state.observers[number]!.pending.formUnion(collections)
            }
            return state.observers.values.map(\.wake)
        }
        // Not under the lock: waking a task waits until no thread is cancelling it, and a cancelling thread calls
        // `forget`.
        for wake in wakes { wake.yield() }
    }
}

/// How often a store checks for commits of other processes, and how it waits between checks.
package struct Polling: Sendable {
    /// The wait between two checks.
    package var interval: Duration
    /// Waits for a duration; throws only when the task is cancelled.
    package var sleep: @Sendable (Duration) async throws -> Void

    /// - Parameter sleep: the clock; tests supply their own.
    package init(
        interval: Duration = .milliseconds(50),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.interval = interval
        self.sleep = sleep
    }
}

/// Checks a storage's revision repeatedly and reports when it has changed.
///
/// The revision does not identify the process that committed, so commits of this process are reported too. The first
/// check also reports a change, because earlier ones are unknown. An unnecessary notice costs a read; a missing one
/// shows outdated rows.
struct RevisionPoll: Sendable {
    let storage: any Storage
    let collections: Set<String>
    let polling: Polling

    /// Runs until its task is cancelled.
    func run(_ notify: (Set<String>) -> Void) async {
        var last: UInt64?, isFirst = true
        while !Task.isCancelled {
            // A failure is reported as a change, so that observers read and receive the error.
            let revision = try? await storage.revision()
            if Task.isCancelled { return }
            if revision != last || isFirst { notify(collections) }
            last = revision
            isFirst = false
            // Throws only when the task is cancelled.
            try? await polling.sleep(polling.interval)
        }
    }
}
