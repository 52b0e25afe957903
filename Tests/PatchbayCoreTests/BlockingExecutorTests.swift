import Dispatch
import Glibc
import Synchronization
import Testing

@testable import PatchbayCore

@Suite("blocking executor", .timeLimit(.minutes(5))) struct BlockingExecutorTests {
    /// A clock in nanoseconds that a test advances.
    private final class Clock: Sendable {
        private let now = Atomic<UInt64>(0)

        var read: @Sendable () -> UInt64 { { self.now.load(ordering: .relaxed) } }

        func advance(_ nanoseconds: UInt64) { now.add(nanoseconds, ordering: .relaxed) }
    }

    private actor Worker {
        nonisolated let executor: BlockingExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        private(set) var count = 0

        init(_ executor: BlockingExecutor) { self.executor = executor }

        func raise() {
            preconditionIsolated()
            let before = count
            for _ in 0..<50 { unsafe withUnsafePointer(to: before) { _ in } }
            count = before + 1
        }

        /// Whether this runs on a borrowed thread.
        func isBorrowing(_ slot: CallerSlot, during work: @Sendable () -> Void = {}) -> Bool {
            work()
            return slot.isHeld
        }
    }

    private static let label = "patchbay.test.worker"

    private let clock = Clock()
    private let slot = CallerSlot(processorCount: 2)

    private func worker() -> Worker {
        Worker(BlockingExecutor(label: Self.label, borrowing: slot, now: clock.read))
    }

    @Test("an actor on the executor runs one job at a time", arguments: [false, true])
    func serial(isBorrowing: Bool) async {
        let worker = Worker(BlockingExecutor(label: Self.label, borrowing: isBorrowing ? slot : nil))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { await worker.raise() } }
        }
        #expect(await worker.count == 500)
    }

    @Test("the first job runs on the executor's own thread, quick ones after it on the caller's")
    func borrowing() async throws {
        let worker = worker()
        #expect(await !worker.isBorrowing(slot))
        for _ in 0..<5 {
            try await settle(worker)
            #expect(await worker.isBorrowing(slot))
        }
    }

    @Test("a slow job sends the next ones to the executor's own thread until enough have run there")
    func slowPiece() async throws {
        let worker = worker(), clock = clock
        await worker.raise()
        try await settle(worker)
        #expect(await worker.isBorrowing(slot) { clock.advance(BlockingExecutor.quickNanosecondsMax + 1) })
        for _ in 0..<BlockingExecutor.piecesAfterSlow {
            try await settle(worker)
            #expect(await !worker.isBorrowing(slot))
        }
        try await settle(worker)
        #expect(await worker.isBorrowing(slot))
    }

    @Test("only one executor holds the slot at a time; another continues without it")
    func oneSlot() async {
        #expect(slot.take())
        #expect(!slot.take())
        let worker = worker()
        for _ in 0..<5 { await worker.raise() }
        #expect(await worker.count == 5)
        slot.giveBack()
        #expect(!slot.isHeld)
    }

    @Test("an executor outlives an actor that is released with its last job, until the job is done")
    func goesAway() async throws {
        let fate = Fate()
        var worker: Worker? = Worker(
            BlockingExecutor(label: Self.label, borrowing: slot, now: { fate.clock() }))
        fate.watch(worker)
        await worker?.raise()
        if let worker { try await settle(worker) }
        let last = Task.detached(executorPreference: NewThreads()) { [worker, slot] in
            await worker?.isBorrowing(slot) { fate.isOver.store(true, ordering: .releasing) }
        }
        worker = nil
        #expect(await last.value == true)
        while slot.isHeld {
            try Task.checkCancellation()
            await Task.yield()
        }
        let isActorGone = fate.isActorGone.load(ordering: .acquiring)
        #expect(isActorGone)
    }

    /// Runs each job of a task on a thread of its own, so that the task ends while one of its threads waits, and no
    /// thread of the pool does.
    private final class NewThreads: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            DispatchQueue(label: "patchbay.test.caller").async {
                unsafe job.runSynchronously(on: self.asUnownedTaskExecutor())
            }
        }
    }

    /// A clock that waits, once the last job has run, until the actor is released; the executor still reads it then.
    private final class Fate: Sendable {
        private struct Reference { weak var worker: Worker? }

        let isOver = Atomic<Bool>(false), isActorGone = Atomic<Bool>(false)
        private let reference = Mutex(Reference())

        func watch(_ worker: Worker?) { reference.withLock { $0.worker = worker } }

        func clock() -> UInt64 {
            guard isOver.load(ordering: .acquiring) else { return 0 }
            let end = DispatchTime.now() + 60
            while reference.withLock({ $0.worker }) != nil, DispatchTime.now() < end { usleep(1_000) }
            isActorGone.store(reference.withLock { $0.worker } == nil, ordering: .releasing)
            return 0
        }
    }

    @Test("with one processor there is no thread to borrow")
    func oneProcessor() { #expect(!CallerSlot(processorCount: 1).take()) }

    @MainActor @Test("the main thread is never borrowed")
    func mainThread() {
        let slot = CallerSlot(processorCount: 2)
        #expect(!slot.take())
        #expect(!slot.isHeld)
    }

    /// Waits until the executor is idle, which happens shortly after the caller of its last job has continued.
    private func settle(_ worker: Worker) async throws {
        while !worker.executor.isIdle || slot.isHeld {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
