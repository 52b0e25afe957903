import Dispatch
import PatchbaySystem
import Synchronization

/// Runs an actor's jobs one at a time on its own thread, so that waiting for a disk, a lock or a server does not block
/// the threads that all tasks share.
///
///     actor Writer {
///         let executor = BlockingExecutor(label: "patchbay.sqlite.writer")
///         nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
///     }
public final class BlockingExecutor: SerialExecutor {
    /// A job that takes longer is slow; the next ``jobsAfterSlow`` jobs run on the executor's own thread.
    static let quickNanosecondsMax: UInt64 = 2_000_000
    static let jobsAfterSlow = 16

    private struct State {
        var waiting: [UnownedJob] = []
        /// Whether a thread is running jobs.
        var isRunning = false
        /// The number of jobs that must still run on the executor's own thread. The first one does, because it opens a
        /// file or a connection and may take long.
        var ownThreadCount = 1
    }

    private let queue: DispatchQueue
    private let slot: CallerSlot
    private let now: @Sendable () -> UInt64
    private let state = Mutex(State())
    /// The caller's thread that runs a job, or 0.
    private let caller = Atomic<UInt>(0)

    /// Creates an executor whose thread, started when it is needed, has this label in debuggers.
    public convenience init(label: String) {
        self.init(label: label, borrowing: .shared) { DispatchTime.now().uptimeNanoseconds }
    }

    /// - Parameter now: a monotonic clock in nanoseconds.
    init(label: String, borrowing slot: CallerSlot, now: @escaping @Sendable () -> UInt64) {
        queue = DispatchQueue(label: label)
        self.slot = slot
        self.now = now
    }

    /// Runs the job after the ones before it. The concurrency runtime calls this for each job of the actor.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = state.withLock { state in
            state.waiting.append(job)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isFirst { queue.async { self.runAll() } }
    }

    /// Whether the calling thread runs a job of this executor. The concurrency runtime asks when it does not know.
    public func isIsolatingCurrentContext() -> Bool? {
        caller.load(ordering: .relaxed) == CurrentProcess.thread
    }

    /// Runs a job on the calling thread. Returns nil without running it when another job is running, when recent jobs
    /// were slow, or when the thread is needed elsewhere. A thread that may wait runs slow jobs too.
    ///
    /// - Parameter isShort: whether even the first job is known not to take long.
    func runOnCaller<Result>(isShort: Bool = false, _ job: () throws -> Result) rethrows -> Result? {
        let mayWait = ThreadUse.current == .waiting
        let isMine = state.withLock { state in
            let isQuick = state.ownThreadCount <= (isShort ? 1 : 0)
            guard !state.isRunning, mayWait || isQuick && slot.take() else { return false }
            state.isRunning = true
            return true
        }
        guard isMine else { return nil }
        caller.store(CurrentProcess.thread, ordering: .relaxed)
        defer {
            caller.store(0, ordering: .relaxed)
            if !mayWait { slot.release() }
            // The tasks of waiting jobs are suspended, so that these may run anywhere.
            if hasMore() { queue.async { self.runAll() } }
        }
        return try timing(job)
    }

    /// Whether no job is running or waiting.
    var isIdle: Bool { state.withLock { !$0.isRunning } }

    /// Runs jobs until none is waiting.
    private func runAll() {
        while hasMore() {
            let job = state.withLock { $0.waiting.removeFirst() }
            timing { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
        }
    }

    /// Returns whether a job is waiting; if not, another thread may run the next one.
    private func hasMore() -> Bool {
        state.withLock { state in
            if state.waiting.isEmpty { state.isRunning = false }
            return state.isRunning
        }
    }

    private func timing<Result>(_ job: () throws -> Result) rethrows -> Result {
        let start = now()
        defer {
            let isSlow = now() - start > Self.quickNanosecondsMax
            state.withLock { state in
                state.ownThreadCount = isSlow ? Self.jobsAfterSlow : max(0, state.ownThreadCount - 1)
            }
        }
        return try job()
    }
}

/// Why files are not opened on the thread of a task: there is more to do than to read what is up to date.
package struct TakesLong: Error { package init() {} }

/// An actor whose work may block a thread. Its ``executor`` must be the one that `unownedExecutor` returns.
package protocol BlockingActor: Actor {
    nonisolated var executor: BlockingExecutor { get }
}

extension BlockingActor {
    /// Runs `body` isolated to this actor, on the thread of the calling task if that is likely to be quick: no other
    /// work of the actor is running or waiting, and its recent work took at most two milliseconds each.
    ///
    /// - Throws: the error of `body`.
    nonisolated package func quickly<Result: Sendable>(
        _ body: @Sendable (isolated Self) throws -> Result
    ) async throws -> Result {
        if let result = try executor.runOnCaller({ try assumeIsolated { try body($0) } }) { return result }
        return try await run(body)
    }

    private func run<Result>(_ body: @Sendable (isolated Self) throws -> Result) throws -> Result {
        try body(self)
    }

    /// Opens files on the thread of the calling task, if that is likely to be quick.
    ///
    /// - Parameter body: throws ``TakesLong`` as soon as there is more to do than to read what is up to date: before it
    ///   waits, creates or migrates anything. It must leave nothing changed when it throws.
    /// - Returns: nil when `body` did not run or failed, so that the files must be opened on the actor's own thread.
    nonisolated package func early<Result: Sendable>(
        _ body: @Sendable (isolated Self) throws -> Result
    ) -> Result? {
        // The other attempt reports the error.
        executor.runOnCaller(isShort: true) { try? assumeIsolated { try body($0) } } ?? nil
    }
}

/// Runs long work, such as checks and copies, on a thread of its own.
package actor WorkThread {
    private let executor: BlockingExecutor
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        unsafe executor.asUnownedSerialExecutor()
    }

    package init(_ label: String) { executor = BlockingExecutor(label: "patchbay.\(label)") }

    /// The closure takes the actor as a parameter, so that it runs on the actor's thread. Without it, Swift 6.3 does
    /// not switch threads for a closure that is not isolated.
    package func run<Result: Sendable>(
        _ body: @Sendable (isolated WorkThread) async throws -> Result
    ) async rethrows -> Result {
        try await body(self)
    }

    /// Waits for work that has started and does not suspend.
    package nonisolated func finish() async { if !executor.isIdle { await run { _ in } } }
}

/// The permission to block one of the threads that all tasks share. A process has only one, so that all other threads
/// stay available to other tasks.
///
/// It is never granted on the main thread's queue, or on a machine with one processor and so only one thread.
final class CallerSlot: Sendable {
    /// The slot of this process.
    static let shared = CallerSlot(processorCount: CurrentProcess.processorCount)

    private let isTaken: Atomic<Bool>

    /// A separate slot, for a test.
    init(processorCount: Int) { isTaken = Atomic(processorCount < 2) }

    func take() -> Bool {
        guard ThreadUse.current != .main else { return false }
        return isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
    }

    var isHeld: Bool { isTaken.load(ordering: .acquiring) }

    func release() { isTaken.store(false, ordering: .releasing) }
}
