import PatchbayCore

extension Connection {
    /// Runs statements on this connection and reports progress from time to time, in thousands of steps of SQLite's
    /// virtual machine. The total is unknown.
    ///
    /// - Throws: `CancellationError` when the task was cancelled meanwhile, otherwise the error of `body`.
    func reporting<Result>(
        _ progress: WorkProgress.Handler, of task: String, _ body: () throws -> Result
    ) throws -> Result {
        try withoutActuallyEscaping(progress) { progress in
            progress(WorkProgress(task, done: 0))
            do {
                return try counting(with: StepCounter(task, progress), body)
            } catch {
                try Task.checkCancellation()
                throw error
            }
        }
    }
}

/// Called regularly while one connection runs statements.
final class StepCounter {
    /// About 3 ms of work on pages in memory.
    static let stepsBetween: Int32 = 100_000

    private let task: String
    private let progress: WorkProgress.Handler
    private var thousands = 0

    init(_ task: String, _ progress: @escaping WorkProgress.Handler) {
        self.task = task
        self.progress = progress
    }

    /// Returns 1 to interrupt the statement.
    func step() -> Int32 {
        thousands += Int(StepCounter.stepsBetween) / 1_000
        progress(WorkProgress(task, done: thousands))
        return Task.isCancelled ? 1 : 0
    }
}
