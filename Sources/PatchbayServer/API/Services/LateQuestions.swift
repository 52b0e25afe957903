import PatchbayCore
import Synchronization

/// Questions to the source whose client has been answered with stored rows.
///
/// Each question is asked once at a time, and not again before ``intervalMin`` has passed, however often clients come.
final class LateQuestions: Sendable {
    /// How many questions are asked at the same time; further ones are left to the next request.
    static let runningMax = 16
    /// How soon a question is asked again, as long as GitHub lets shared caches keep an answer.
    static let intervalMin = Duration.seconds(60)
    private static let rememberedMax = 1_024

    private struct State {
        var running: [UInt64: Task<Void, Never>] = [:]
        /// When questions were answered, in uptime.
        var ended: [UInt64: Duration] = [:]
        var isStopped = false
    }

    private let state = Mutex(State())
    private let clock: LayerClock

    init(_ clock: LayerClock) { self.clock = clock }

    /// Asks, unless the question is being asked, or was a short while ago.
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

    /// Cancels all questions and waits for their ends.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.running.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Waits until all questions that are being asked have ended.
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
            // Too many within a minute: the next ones are asked anew.
            if state.ended.count > Self.rememberedMax { state.ended = [:] }
        }
    }
}
