import Dispatch

/// Threads that may wait for a disk, a lock or a server, for callers whose own threads must not: event loops, and the
/// threads that all tasks share.
///
/// Threads are started on demand. When all of them, or the part of a server's client, are in use, callers wait in turn
/// for a limited time.
package final class StorageThreads: Sendable {
    /// The threads of this process.
    package static let shared = StorageThreads(
        threadsMax: 64, patience: .seconds(10), of: "requests have waited for the storage")

    private let threads: Pool<StorageThread>
    private let places: ClientPlaces
    private let turn: (limit: Duration, error: PatchbayError)

    /// - Parameters:
    ///   - patience: how long a caller waits for a thread.
    ///   - uses: what the threads do meanwhile, for the error.
    package init(threadsMax: Int, patience: Duration, of uses: String) {
        let busy = PatchbayError(
            .busy, "\(threadsMax) \(uses) for \(patience), or your part of them; try again later")
        turn = (patience, busy)
        threads = Pool(membersMax: threadsMax, whenClosed: busy)
        threads.open { StorageThread() }
        places = ClientPlaces(threadsMax)
    }

    /// Runs `work` on one of the threads, with everything that it awaits.
    ///
    /// - Throws: `busy` when no thread becomes free in time, `CancellationError`, and the errors of `work`.
    package func run<Result: Sendable>(_ work: @Sendable () async throws -> Result) async throws -> Result {
        let (client, thread) = try await take()
        defer { release(thread, of: client) }
        return try await withTaskExecutorPreference(thread) {
            // A call alone would not leave the caller's thread; a task that yields continues on the preferred one.
            await Task.yield()
            assert(ThreadUse.current == .waiting)
            return try await work()
        }
    }

    /// Starts `work` on one of the threads, with everything that it awaits, as soon as one is free.
    ///
    /// Unlike ``run(_:)``, does not wait for its end, and occupies no other thread.
    ///
    /// - Throws: `busy` when no thread becomes free in time, and `CancellationError`.
    package func start(_ work: @escaping @Sendable () async -> Void) async throws {
        let (client, thread) = try await take()
        Task(executorPreference: thread) {
            assert(ThreadUse.current == .waiting)
            await work()
            self.release(thread, of: client)
        }
    }

    private func take() async throws -> (client: ServingClient?, thread: StorageThread) {
        let client = try await places.enter(patience: turn)
        do {
            return (client, try await threads.take(patience: turn))
        } catch {
            places.leave(client)
            throw error
        }
    }

    private func release(_ thread: StorageThread, of client: ServingClient?) {
        threads.release(thread)
        places.leave(client)
    }
}

/// A thread that may wait; it runs one job at a time.
final class StorageThread: TaskExecutor {
    // Serial queues have threads of their own, unlike concurrent ones, which share one per processor.
    private let queue = DispatchQueue(label: "patchbay.storage")

    init() { queue.setSpecific(key: ThreadUse.key, value: .waiting) }

    /// Runs the job after the earlier ones. The concurrency runtime calls this.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// The use of the thread that a dispatch queue runs on.
enum ThreadUse {
    /// It runs the main actor.
    case main
    /// It is a ``StorageThread`` and may wait.
    case waiting

    static let key: DispatchSpecificKey<ThreadUse> = {
        let key = DispatchSpecificKey<ThreadUse>()
        DispatchQueue.main.setSpecific(key: key, value: .main)
        return key
    }()

    /// The use of the calling thread, if it is one of these.
    static var current: ThreadUse? { DispatchQueue.getSpecific(key: key) }
}
