import Dispatch
import Foundation
import Synchronization
public import Testing

/// Runs tests on threads that may block, so that a test that waits for a process leaves the threads that all tasks
/// share to the other tests. There are as many of them as cores: two on a small machine, which two waiting tests would
/// stop for all others.
public struct BlockingTests: SuiteTrait, TestTrait, TestScoping {
    /// Applies the trait to each test of a suite.
    public var isRecursive: Bool { true }

    /// Runs a test, and the tasks that it starts, on the threads.
    @concurrent public func provideScope(
        for test: Test, testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
    }
}

extension Trait where Self == BlockingTests {
    /// Runs the test on a thread that may block. For tests that run processes or call `psql`.
    public static var mayBlock: Self { BlockingTests() }
}

/// A few threads that run jobs in the order of their arrival. Their number limits how many processes the tests run at
/// once, each of which has a time limit.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads(count: 4)

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrived = DispatchSemaphore(value: 0)

    init(count: Int) {
        for _ in 0..<count { Thread.detachNewThread { self.run() } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrived.signal()
    }

    private func run() {
        while true {
            arrived.wait()
            let job = jobs.withLock { $0.removeFirst() }
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
