#if Live
import NIOCore
import Synchronization

/// Runs the tasks of an event loop's connections on that loop, so that a request without waits stays on one thread.
///
/// The loop reads from connections only while it has no due tasks. So after a millisecond of work the remaining jobs
/// are delayed by a short pause, and requests of other connections are read.
final class EventLoopExecutor: TaskExecutor {
    private static let workTime = TimeAmount.milliseconds(1)
    private static let pause = TimeAmount.microseconds(100)

    private let eventLoop: any EventLoop
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var jobs = CircularBuffer<UnownedJob>()
        /// Whether the loop is going to run the jobs.
        var isScheduled = false
    }

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if isFirst { eventLoop.execute { self.run() } }
    }

    private func run() {
        let end = NIODeadline.now() + Self.workTime
        while let job = next() {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
            guard NIODeadline.now() < end else {
                _ = eventLoop.scheduleTask(in: Self.pause) { self.run() }
                return
            }
        }
    }

    private func next() -> UnownedJob? {
        waiting.withLock { waiting in
            waiting.isScheduled = !waiting.jobs.isEmpty
            return waiting.jobs.popFirst()
        }
    }
}
#endif
