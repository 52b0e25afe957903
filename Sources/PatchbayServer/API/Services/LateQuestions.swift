import PatchbayCore
import Synchronization

/// Background requests to the source after a client was answered with stored rows.
///
/// A question has at most one request under way, and is not sent again until ``intervalMin`` has passed.
final class LateQuestions: Sendable {
    /// The maximum number of concurrent questions. Further ones are dropped; a later client request triggers them
    /// again.
    static let runningMax = 16
    /// The minimum time between two requests of a question, the same as the time for which GitHub allows shared caches
    /// to keep an answer.
    static let intervalMin = Duration.seconds(60)
    private static let rememberedMax = 1_024

    private struct State {
        var running: [UInt64: Task<Void, Never>] = [:]
        /// The times at which questions ended, in uptime.
        var ended: [UInt64: Duration] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())
    private let clock: LayerClock

    init(_ clock: LayerClock) { self.clock = clock }

    /// Starts `ask`, unless the question is under way or ended less than ``intervalMin`` ago.
    func begin(_ question: UInt64, _ ask: @escaping @Sendable () async -> Void) {
        let now = clock.uptime()
        state.withLock { state in
            guard !state.isStopped, state.running[question] == nil, state.running.count < Self.runningMax,
                state.ended[question].map({ now - $0 >= Self.intervalMin }) ?? true
            else { return }
            state.running[question] = Task {
                await ask()
                end(question)
            }
        }
    }

    /// Cancels all questions and waits for them to end.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.running.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Waits for all running questions to end.
    func settle() async {
        for task in state.withLock({ Array($0.running.values) }) { await task.value }
    }

    private func end(_ question: UInt64) {
        let now = clock.uptime()
        state.withLock { state in
            state.running[question] = nil
            state.ended[question] = now
            guard state.ended.count > Self.rememberedMax else { return }
            state.ended = state.ended.filter { now - $0.value < Self.intervalMin }
            // Too many within a minute; start over, so the next ones are sent again.
            if state.ended.count > Self.rememberedMax { state.ended = [:] }
        }
    }
}
