import HTTPTypes
import PatchbayCore
import PatchbayGateway
import Synchronization

/// The syncs that clients started: one at a time of each list.
final class SyncRuns: Sendable {
    /// How many run at the same time.
    static let runningMax = 8
    /// How many that have ended are remembered.
    static let endedMax = 100

    /// A sync, as it was when it was looked at.
    struct Run: Sendable {
        let number: Int
        let subject: SyncSubject
        let startedAt: Timestamp
        var endedAt: Timestamp?
        var progress = SyncProgress()
        /// Nil while it runs.
        var end: SyncEnd?
        /// The greater, the later it has changed, among all syncs.
        var version = 0
    }

    fileprivate struct State {
        var runs: [Run] = []
        var tasks: [Int: Task<Void, Never>] = [:]
        var nextNumber = 1
        var version = 0
        var isStopped = false
    }

    /// Called whenever one of them has changed.
    let changes = Wakes()
    private let state = Mutex(State())
    private let clock: LayerClock

    init(_ clock: LayerClock) { self.clock = clock }

    /// Starts a sync, or finds the one of the same list that is running.
    ///
    /// - Throws: `Problem` when too many are running, or the server stops.
    func start(_ subject: SyncSubject, _ sync: Sync) throws(Problem) -> Run {
        let now = clock.now()
        let started: Run? = state.withLock { state -> Run? in
            if let running = state.runs.first(where: { $0.end == nil && $0.subject == subject }) {
                return running
            }
            guard state.tasks.count < Self.runningMax, !state.isStopped else { return nil }
            let run = Run(number: state.nextNumber, subject: subject, startedAt: now)
            state.nextNumber += 1
            state.add(run)
            state.tasks[run.number] = Task { await follow(sync, run.number) }
            return run
        }
        changes.wake()
        if let started { return started }
        var problem = Problem(
            .tooManyRequests, .busy,
            "\(Self.runningMax) syncs are running, which is the limit; wait for one of them")
        problem.fields[.retryAfter] = "5"
        throw problem
    }

    func run(_ number: Int) -> Run? { state.withLock { $0.runs.first { $0.number == number } } }

    /// All that are remembered, the newest first.
    var all: [Run] { state.withLock { $0.runs.reversed() } }

    /// Those that have changed after a version, and the present version.
    func changed(after version: Int) -> (runs: [Run], version: Int) {
        state.withLock { state in (state.runs.filter { $0.version > version }, state.version) }
    }

    /// Interrupts a sync, waits for its end and forgets it; the next one of its list goes on from there.
    func remove(_ number: Int) async {
        let task = state.withLock { $0.tasks[number] }
        task?.cancel()
        await task?.value
        state.withLock { state in state.runs.removeAll { $0.number == number } }
    }

    /// Interrupts all and waits for their ends.
    func stop() async {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    /// Waits until a sync has ended.
    func settle() async {
        for task in state.withLock({ Array($0.tasks.values) }) { await task.value }
    }

    private func follow(_ sync: Sync, _ number: Int) async {
        for await event in sync {
            switch event {
            case .saved(let progress): change(number) { $0.progress = progress }
            case .skipped: break
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

extension SyncRuns.State {
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

/// What a sync fetches.
struct SyncSubject: Hashable, Sendable {
    /// The name of the resource in addresses.
    let resource: String
    let list: String?
    /// The words of the list; of a list of rows that were not named, none.
    let of: [String]
    let withDetails: Bool
}
