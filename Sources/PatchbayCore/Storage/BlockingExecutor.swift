import Dispatch
import Synchronization

/// Runs an actor's jobs one at a time, mostly on its own thread, so that waiting for a disk or a lock does not block
/// the threads that all tasks share.
///
///     actor Writer {
///         private let executor = BlockingExecutor(label: "patchbay.sqlite.writer", borrowing: .shared)
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     }
///
/// Passing a job to another thread and back takes half as long as a durable write. With a ``CallerSlot``, the executor
/// therefore runs a job on the caller's thread while its recent jobs were quick.
public final class BlockingExecutor: SerialExecutor {
    /// A job that takes longer is slow; the next ``piecesAfterSlow`` jobs do not run on a caller's thread.
    static let quickNanosecondsMax: UInt64 = 1_000_000
    static let piecesAfterSlow = 16

    private struct State {
        var waiting: [UnownedJob] = []
        /// Whether a thread is running the waiting jobs.
        var isRunning = false
        /// The number of jobs that must still run on the executor's own thread. The first one does, because it opens a
        /// file and may take long.
        var ownThreadCount = 1
    }

    private let queue: DispatchQueue
    private let slot: CallerSlot?
    private let now: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter slot: allows quick jobs to run on the thread of the calling task; with nil, all jobs run on the
    ///   executor's own thread. Use it for an actor whose methods await nothing and do not wait for other tasks.
    public convenience init(label: String, borrowing slot: CallerSlot? = nil) {
        self.init(label: label, borrowing: slot) { DispatchTime.now().uptimeNanoseconds }
    }

    /// - Parameter now: a monotonic clock in nanoseconds.
    init(label: String, borrowing slot: CallerSlot?, now: @escaping @Sendable () -> UInt64) {
        queue = DispatchQueue(label: label)
        self.slot = slot
        self.now = now
    }

    /// Runs the job after the ones before it. The concurrency runtime calls this for each job of the actor.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let (isFirst, isQuick) = state.withLock { state in
            state.waiting.append(job)
            defer { state.isRunning = true }
            return (!state.isRunning, state.ownThreadCount == 0)
        }
        guard isFirst else { return }
        if isQuick, let slot, slot.take() {
            runOnCaller(giving: slot)
        } else {
            queue.async { self.runAll() }
        }
    }

    /// Whether no job is running or waiting.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Runs jobs until none is waiting.
    private func runAll() { while let job = next() { run(job) } }

    /// Runs jobs on a caller's thread, which is needed elsewhere: after one slow job, or many quick ones, the rest
    /// moves to the executor's own thread.
    private func runOnCaller(giving slot: CallerSlot) {
        // The last job may release the actor and with it this executor, which is still needed afterwards.
        let held = unsafe Unmanaged.passRetained(self)
        defer { unsafe held.release() }
        let start = now()
        var isInTime = true
        while isInTime, let job = next() {
            run(job)
            isInTime = now() - start <= Self.quickNanosecondsMax
        }
        slot.giveBack()
        if !isInTime { queue.async { self.runAll() } }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            if state.waiting.isEmpty {
                state.isRunning = false
                return nil
            }
            return state.waiting.removeFirst()
        }
    }

    private func run(_ job: UnownedJob) {
        let start = now()
        unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        let isSlow = now() - start > Self.quickNanosecondsMax
        state.withLock { state in
            state.ownThreadCount = isSlow ? Self.piecesAfterSlow : max(0, state.ownThreadCount - 1)
        }
    }
}
