#if Live
import NIOCore
import NIOPosix
import PatchbayCore
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

/// The event loops of a server. If it listens on TCP, Unix domain sockets have loops of their own, so that the owner's
/// requests do not wait until those of many strangers are read.
struct EventLoops: Sendable {
    let ofTCP: any EventLoopGroup
    let ofSockets: any EventLoopGroup
    private let executors: [ObjectIdentifier: EventLoopExecutor]

    /// The number of loops for TCP, or for all connections.
    static var count: Int { max(1, min(4, System.coreCount)) }
    /// The number of further loops for sockets.
    static var ofSocketsCount: Int { max(1, count / 2) }

    init(_ options: ServingOptions) {
        let isPrivate = options.listen.allSatisfy { if case .unix = $0 { true } else { false } }
        ofTCP = MultiThreadedEventLoopGroup(numberOfThreads: Self.count)
        ofSockets = isPrivate ? ofTCP : MultiThreadedEventLoopGroup(numberOfThreads: Self.ofSocketsCount)
        var executors: [ObjectIdentifier: EventLoopExecutor] = [:]
        for group in [ofTCP, ofSockets] {
            for loop in group.makeIterator() where executors[ObjectIdentifier(loop)] == nil {
                executors[ObjectIdentifier(loop)] = EventLoopExecutor(loop)
            }
        }
        self.executors = executors
    }

    /// Returns the executor of the tasks for a channel's connection.
    func executor(of channel: any Channel) -> EventLoopExecutor {
        executors[ObjectIdentifier(channel.eventLoop)] ?? EventLoopExecutor(channel.eventLoop)
    }

    func shutDown() async throws {
        try await ofTCP.shutdownGracefully()
        if ofSockets !== ofTCP { try await ofSockets.shutdownGracefully() }
    }
}
#endif
