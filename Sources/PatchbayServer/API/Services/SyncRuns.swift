import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayNetworking
import Synchronization

/// The syncs that clients have started, at most one at a time for each list.
final class SyncRuns: Sendable {
    /// The maximum number of running syncs, which clients share as in ``ClientShares``.
    static let runningMax = 8
    /// The maximum number of ended syncs that are remembered.
    static let endedMax = 100

    /// The maximum number of messages that are kept of a sync.
    static let notesMax = 100

    /// A snapshot of a sync.
    struct Run: Sendable {
        let number: Int
        let subject: SyncSubject
        /// The client that has started the sync, whose budget it uses.
        let client: ServingClient
        let startedAt: Timestamp
        var endedAt: Timestamp?
        var progress = SyncProgress()
        /// What the syncs of its lists report besides: the list and the message, each once; at most 100.
        fileprivate(set) var notes: [String] = []
        /// Nil while the sync is running.
        var end: SyncEnd?
        /// The version of the last change; it increases across all syncs.
        var version = 0
    }

    fileprivate struct State {
        var runs: [Run] = []
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextNumber = 1
        var version = 0
        var isStopped = false
    }

    /// Wakes listeners when a sync has changed.
    let changes = Wakes()
    private let state = Mutex(State())
    private let clock: LayerClock

    init(_ clock: LayerClock) { self.clock = clock }

    /// Starts a sync for the client of the current task, or returns the running one of the same list.
    ///
    /// - Throws: `Problem` when the running one uses the budget of another client, when too many are running, or when
    ///   the server is stopping.
    func start(_ subject: SyncSubject, _ sync: Sync) throws(Problem) -> Run {
        let now = clock.now(), client = ServingClient.counted
        let started: Run? = state.withLock { state -> Run? in
            if let running = state.runs.first(where: { $0.end == nil && $0.subject == subject }) {
                return running
            }
            guard !state.isStopped, state.hasPlace(for: client) else { return nil }
            let run = Run(number: state.nextNumber, subject: subject, client: client, startedAt: now)
            state.nextNumber += 1
            state.add(run)
            state.tasks[run.number] = Task {
                await RateLimit.$waits.withValue(true) { await follow(sync, run.number) }
            }
            return run
        }
        changes.wake()
        if let started, started.canServe(client) { return started }
        var problem =
            started == nil
            ? Problem(
                .tooManyRequests, .busy,
                "\(Self.runningMax) syncs are running, or your part of them, which is the limit; "
                    + "wait for one of them")
            : Problem(
                .conflict, .busy,
                "another client is fetching this list with its own budget; wait until it has ended")
        problem.fields[.retryAfter] = "5"
        throw problem
    }

    func run(_ number: Int) -> Run? { state.withLock { $0.runs.first { $0.number == number } } }

    /// All remembered syncs, the newest first.
    var all: [Run] { state.withLock { $0.runs.reversed() } }

    /// Returns the syncs that have changed after a version, and the current version.
    func changed(after version: Int) -> (runs: [Run], version: Int) {
        state.withLock { state in (state.runs.filter { $0.version > version }, state.version) }
    }

    /// Interrupts a sync, waits for it to end and forgets it. The next sync of its list resumes from there.
    func remove(_ number: Int) async {
        let task = state.withLock { $0.tasks[number] }
        task?.cancel()
        await task?.value
        state.withLock { state in state.runs.removeAll { $0.number == number } }
    }

    /// Interrupts all syncs and waits for them to end.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        await tasks.cancelledEnds()
    }

    /// Waits for all running syncs to end.
    func settle() async { await state.withLock { Array($0.tasks.values) }.ends() }

    private func follow(_ sync: Sync, _ number: Int) async {
        for await event in sync {
            switch event {
            case .saved(let progress): change(number) { $0.progress = progress }
            case .noted(let list, let note): change(number) { $0.add("\(list): \(note)") }
            case .skipped(let name, let error):
                change(number) { $0.add("skipped \(name): \(error.message)") }
            case .incomplete: break
            case .ended(let end, let progress):
                let now = clock.now()
                change(number) { run in
                    run.progress = progress
                    run.end = end
                    run.endedAt = now
                }
            }
        }
        state.withLock { _ = $0.tasks.removeValue(forKey: number) }
    }

    private func change(_ number: Int, _ body: (inout Run) -> Void) {
        state.withLock { state in
            guard let place = state.runs.firstIndex(where: { $0.number == number }) else { return }
            state.version += 1
            state.runs[place].version = state.version
            body(&state.runs[place])
        }
        changes.wake()
    }
}

extension SyncRuns.Run {
    /// Whether the sync may be the answer to another client: it must not fail because of a budget that is not theirs.
    fileprivate func canServe(_ other: ServingClient) -> Bool {
        if case .named = client { return client == other }
        return true
    }

    fileprivate mutating func add(_ note: String) {
        if notes.count < SyncRuns.notesMax, !notes.contains(note) { notes.append(note) }
    }
}

extension SyncRuns.State {
    /// Whether a client may start another sync.
    fileprivate func hasPlace(for client: ServingClient) -> Bool {
        var shares = ClientShares(of: SyncRuns.runningMax)
        // Not the tasks, which end after their clients have learned that the syncs have ended.
        for run in runs where run.end == nil { _ = shares.take(1, for: run.client) }
        return shares.allows(1, for: client)
    }

    fileprivate mutating func add(_ run: SyncRuns.Run) {
        var run = run
        version += 1
        run.version = version
        runs.append(run)
        let ended = runs.filter { $0.end != nil }
        guard ended.count > SyncRuns.endedMax, let oldest = ended.first else { return }
        runs.removeAll { $0.number == oldest.number }
    }
}

/// The rows that a sync fetches.
struct SyncSubject: Hashable, Sendable {
    let resource: Resource
    let list: String?
    /// The values of the list; none when the lists of all stored rows are fetched.
    let of: [String]

    init(_ served: ServedResource, list: String?, of words: [String]) {
        resource = served.full
        self.list = list
        of = words
    }
}

/// Wakes listeners. A busy listener is woken once, no matter how many wakes were sent.
final class Wakes: Sendable {
    private struct State {
        var nextNumber = 0
        var listeners: [Int: AsyncStream<Void>.Continuation] = [:]
    }

    private let state = Mutex(State())

    /// Returns the wakes from now on, until the stream is dropped.
    func stream() -> AsyncStream<Void> {
        let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.nextNumber += 1
            state.listeners[state.nextNumber] = wake
            return state.nextNumber
        }
        wake.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return wakes
    }

    func wake() {
        for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield() }
    }
}
