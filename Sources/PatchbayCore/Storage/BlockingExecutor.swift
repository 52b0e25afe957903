import Dispatch
import Synchronization

/// Runs an actor's work one piece at a time, mostly on a thread of its own, so that waiting for a disk or a lock does
/// not hold up the threads that all tasks share.
///
///     actor Writer {
///         private let executor = BlockingExecutor(label: "patchbay.sqlite.writer", borrowing: .shared)
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     }
///
/// Handing a piece to another thread and back costs as much as half a durable write. With a ``CallerSlot`` the executor
/// therefore runs a piece on the caller's thread, while its recent pieces were quick.
public final class BlockingExecutor: SerialExecutor {
    /// A piece that takes longer is slow: it, and so many behind it, are not for a caller's thread.
    static let quickNanosecondsMax: UInt64 = 1_000_000
    static let piecesAfterSlow = 16

    private struct State {
        var waiting: [UnownedJob] = []
        /// Whether some thread runs what waits.
        var isRunning = false
        /// How many pieces still go to the own thread. The first one does: it opens a file, and may take long.
        var ownThreadCount = 1
    }

    private let queue: DispatchQueue
    private let slot: CallerSlot?
    private let now: @Sendable () -> UInt64
    private let state = Mutex(State())

    /// - Parameter slot: lets quick pieces run on the thread of the task that asks for them; nil: all run on a thread
    ///   of their own. For an actor whose methods await nothing and do not wait for other tasks.
    public convenience init(label: String, borrowing slot: CallerSlot? = nil) {
        self.init(label: label, borrowing: slot) { DispatchTime.now().uptimeNanoseconds }
    }

    /// - Parameter now: a clock in nanoseconds that only goes forward.
    init(label: String, borrowing slot: CallerSlot?, now: @escaping @Sendable () -> UInt64) {
        queue = DispatchQueue(label: label)
        self.slot = slot
        self.now = now
    }

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

    /// Whether nothing runs or waits.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Runs what waits until nothing does.
    private func runAll() { while let job = next() { run(job) } }

    /// The same for a thread that is wanted elsewhere: after one slow piece, or many quick ones, the rest goes to the
    /// own thread.
    private func runOnCaller(giving slot: CallerSlot) {
        // The last piece may let go of the actor, and so of this executor, which is still needed behind it.
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
