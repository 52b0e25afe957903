import PatchbayCore
import Synchronization

/// Requests to the source after a client was answered from the storage, at most one at a time for each key.
final class BackgroundRequests<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var running: [Key: Task<Void, Never>] = [:]
        /// The times at which requests ended, in uptime.
        var ended: [Key: Duration] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())
    private let clock: LayerClock
    private let runningMax: Int
    private let intervalMin: Duration
    private static var rememberedMax: Int { 1_024 }

    /// - Parameters:
    ///   - runningMax: the maximum number of concurrent requests. Further ones are dropped; a later request of a client
    ///     begins them again.
    ///   - intervalMin: the minimum time between two requests for a key.
    init(_ clock: LayerClock, runningMax: Int, intervalMin: Duration = .zero) {
        self.clock = clock
        self.runningMax = runningMax
        self.intervalMin = intervalMin
    }

    /// Starts `request`, unless one for the key is under way or ended less than the minimum time ago.
    func begin(_ key: Key, _ request: @escaping @Sendable () async -> Void) {
        let now = clock.uptime()
        state.withLock { state in
            guard !state.isStopped, state.running[key] == nil, state.running.count < runningMax,
                state.ended[key].map({ now - $0 >= intervalMin }) ?? true
            else { return }
            state.running[key] = Task {
                await request()
                end(key)
            }
        }
    }

    /// Cancels all requests and waits for them to end.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.running.values)
        }
        await tasks.cancelledEnds()
    }

    /// Waits for all running requests to end.
    func settle() async { await state.withLock { Array($0.running.values) }.ends() }

    private func end(_ key: Key) {
        let now = clock.uptime()
        state.withLock { state in
            state.running[key] = nil
            guard intervalMin > .zero else { return }
            state.ended[key] = now
            guard state.ended.count > Self.rememberedMax else { return }
            state.ended = state.ended.filter { now - $0.value < intervalMin }
            // Too many within the interval; start over, so the next ones are sent again.
            if state.ended.count > Self.rememberedMax { state.ended = [:] }
        }
    }
}

extension [Task<Void, Never>] {
    /// Waits for all tasks to end.
    func ends() async { for task in self { await task.value } }

    /// Cancels all tasks and waits for them to end.
    func cancelledEnds() async {
        for task in self { task.cancel() }
        await ends()
    }
}
