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

    private actor Worker: BlockingActor {
        let executor: BlockingExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
        private(set) var count = 0

        init(_ executor: BlockingExecutor) { self.executor = executor }

        func raise() {
            preconditionIsolated()
            let before = count
            for _ in 0..<50 { unsafe withUnsafePointer(to: before) { _ in } }
            count = before + 1
        }
    }

    private struct Own: Error {}

    private let clock = Clock()
    private let slot = CallerSlot(processorCount: 2)

    private func worker() -> Worker {
        Worker(BlockingExecutor(label: "patchbay.test.worker", borrowing: slot, now: clock.read))
    }

    /// Runs a piece of work, and returns whether it ran on the caller's thread.
    private func isHere(_ worker: Worker, nanoseconds: UInt64 = 0) async throws -> Bool {
        let clock = clock, slot = slot
        return try await worker.quickly { worker in
            worker.raise()
            clock.advance(nanoseconds)
            return slot.isHeld
        }
    }

    @Test("an actor on the executor runs one job at a time, wherever they come from")
    func serial() async throws {
        let worker = worker()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<500 {
                group.addTask {
                    if number.isMultiple(of: 2) { await worker.raise() } else { _ = try await isHere(worker) }
                }
            }
            try await group.waitForAll()
        }
        #expect(await worker.count == 500)
    }

    @Test("the first job runs on the executor's own thread, quick ones after it on the caller's")
    func borrowing() async throws {
        let worker = worker()
        #expect(try await !isHere(worker))
        try await settle(worker)
        for _ in 0..<5 { #expect(try await isHere(worker)) }
        #expect(!slot.isHeld)
    }

    @Test("a slow job sends the next ones to the executor's own thread until enough have run there")
    func slowJob() async throws {
        let worker = worker()
        await worker.raise()
        try await settle(worker)
        #expect(try await isHere(worker, nanoseconds: BlockingExecutor.quickNanosecondsMax + 1))
        for _ in 0..<BlockingExecutor.jobsAfterSlow {
            #expect(try await !isHere(worker))
            try await settle(worker)
        }
        #expect(try await isHere(worker))
    }

    @Test("jobs that arrive while a caller's thread runs one follow on the executor's own thread")
    func waiting() async throws {
        let worker = worker()
        await worker.raise()
        try await settle(worker)
        let later = try await worker.quickly { worker in
            worker.raise()
            return Task { worker.raise() }
        }
        await later.value
        #expect(await worker.count == 3)
    }

    @Test("nothing runs on a caller's thread while another executor does")
    func oneSlot() async throws {
        let worker = worker()
        await worker.raise()
        try await settle(worker)
        #expect(slot.take())
        #expect(!slot.take())
        #expect(worker.executor.runOnCaller {} == nil)
        slot.release()
        #expect(try await isHere(worker))
    }

    @Test("an error of the work is rethrown, and the thread is released")
    func throwing() async throws {
        let worker = worker()
        await worker.raise()
        try await settle(worker)
        for _ in 0..<2 {
            await #expect(throws: Own.self) { try await worker.quickly { _ in throw Own() } }
            #expect(!slot.isHeld)
            #expect(worker.executor.isIdle)
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
