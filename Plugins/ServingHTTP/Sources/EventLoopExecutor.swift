#if Live
import NIOCore
import Synchronization

/// Runs the tasks of an event loop's connections on that loop, so that a request without waits stays on one thread.
///
/// The loop reads from connections only while it has no due tasks. So after a batch of jobs the rest is delayed by a
/// short pause, and requests of other connections are read.
final class EventLoopExecutor: TaskExecutor {
    private static let batch = 64
    private static let pause = TimeAmount.microseconds(100)

    private let eventLoop: any EventLoop
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var jobs: [UnownedJob] = []
        /// Whether the loop is going to run the jobs.
        var isScheduled = false

        mutating func take(_ countMax: Int) -> ArraySlice<UnownedJob> {
            let taken = jobs.prefix(countMax)
            jobs.removeFirst(taken.count)
            return taken
        }
    }

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = waiting.withLock { waiting in
            waiting.jobs.append(job)
            defer { waiting.isScheduled = true }
            return !waiting.isScheduled
        }
        if isFirst { eventLoop.execute { self.runBatch() } }
    }

    private func runBatch() {
        var left = Self.batch
        while left > 0 {
            let jobs = waiting.withLock { waiting in
                let jobs = waiting.take(left)
                waiting.isScheduled = !jobs.isEmpty
                return jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
            left -= jobs.count
        }
        _ = eventLoop.scheduleTask(in: Self.pause) { self.runBatch() }
    }
}
#endif
