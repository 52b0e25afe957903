import Dispatch

/// Runs an actor's work one piece at a time on a thread of its own, so that waiting for a disk or a lock does not hold
/// up the threads that all tasks share.
///
///     actor Writer {
///         private let executor = BlockingExecutor(label: "patchbay.sqlite.writer")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     }
public final class BlockingExecutor: SerialExecutor {
    private let queue: DispatchQueue

    public init(label: String) { queue = DispatchQueue(label: label) }

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
