public import PatchbayCore
import Synchronization

/// A clock that a test controls; pass `clock.now` to a gateway and `clock.layerClock` to layers.
///
/// A sleeping task wakes when the clock has moved far enough. With `jumps`, the clock moves by itself: a sleep advances
/// it and returns at once.
public final class ManualClock: Sendable {
    private let state: Mutex<State>
    private let jumps: Bool

    /// Creates a clock that shows `start`; with `jumps`, each sleep advances it and returns at once.
    public init(_ start: Timestamp = Timestamp(milliseconds: 1_790_000_000_000), jumps: Bool = false) {
        state = Mutex(State(time: start))
        self.jumps = jumps
    }

    /// A function that returns the clock's current time of day, callable from any thread.
    public var now: @Sendable () -> Timestamp {
        { self.state.withLock { $0.time } }
    }

    /// The clock for layers and gateways: its time of day, its uptime from 0, and its sleeps.
    public var layerClock: LayerClock {
        LayerClock(
            now: now, uptime: { self.state.withLock { $0.uptime } },
            sleep: { try await self.sleep($0) })
    }

    /// All sleeps so far, in order, including those that have not ended.
    package var sleeps: [Duration] { state.withLock { $0.sleeps } }

    /// Advances the clock and wakes every task whose sleep has ended.
    public func advance(by duration: Duration) {
        for sleeper in state.withLock({ $0.advance(by: duration) }) { sleeper.resume() }
    }

    /// Sets the time of day, like a user who sets a clock; no task wakes.
    public func set(_ time: Timestamp) { state.withLock { $0.time = time } }

    /// Waits until the given number of sleeps have begun since the clock was created, or the task is cancelled.
    package func hasBegun(sleeps count: Int) async {
        let (arrivals, watcher) = AsyncStream.makeStream(of: Never.self)
        state.withLock { state in
            if state.sleeps.count >= count { return watcher.finish() }
            state.watchers.append((count, watcher))
        }
        for await _ in arrivals {}
    }

    private typealias Sleeper = CheckedContinuation<Void, any Error>
    private typealias Watcher = AsyncStream<Never>.Continuation

    private struct State {
        var time: Timestamp
        var uptime = Duration.zero
        var sleeps: [Duration] = []
        var nextNumber = 0
        var sleepers: [Int: (wakes: Duration, sleeper: Sleeper)] = [:]
        var cancelled: Set<Int> = []
        var watchers: [(count: Int, watcher: Watcher)] = []

        mutating func advance(by duration: Duration) -> [Sleeper] {
            let (seconds, attoseconds) = duration.components
            time.milliseconds += seconds * 1_000 + attoseconds / 1_000_000_000_000_000
            uptime += duration
            let due = sleepers.filter { $0.value.wakes <= uptime }.sorted { $0.key < $1.key }
            for (number, _) in due { sleepers[number] = nil }
            return due.map(\.value.sleeper)
        }

        mutating func number() -> Int {
            nextNumber += 1
            return nextNumber
        }

        /// Removes and returns the watchers that waited for at most the present number of sleeps.
        mutating func served() -> [Watcher] {
            let count = sleeps.count
            defer { watchers.removeAll { $0.count <= count } }
            return watchers.filter { $0.count <= count }.map(\.watcher)
        }
    }

    private func sleep(_ duration: Duration) async throws {
        try Task.checkCancellation()
        guard jumps || duration <= .zero else { return try await wait(duration) }
        let watchers = state.withLock { state in
            state.sleeps.append(duration)
            return state.served()
        }
        if jumps { advance(by: duration) }
        for watcher in watchers { watcher.finish() }
    }

    private func wait(_ duration: Duration) async throws {
        let number = state.withLock { $0.number() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { begin(duration, number, $0) }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)?.sleeper
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.resume(throwing: CancellationError())
        }
    }

    private func begin(_ duration: Duration, _ number: Int, _ sleeper: Sleeper) {
        let (isCancelled, watchers) = state.withLock { state in
            state.sleeps.append(duration)
            let isCancelled = state.cancelled.remove(number) != nil
            if !isCancelled { state.sleepers[number] = (state.uptime + duration, sleeper) }
            return (isCancelled, state.served())
        }
        if isCancelled { sleeper.resume(throwing: CancellationError()) }
        for watcher in watchers { watcher.finish() }
    }
}
