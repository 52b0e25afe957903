import PatchbayCore
public import PatchbayDomain

/// The newest commits of the repositories that somebody looks at, fetched a few at a time.
///
///     let commits = gateway.visibleCommits()
///     await commits.show(window.repositories)
///     for await arrival in commits.arrivals { ... }
///
/// Each repository that becomes visible arrives once. What is stored counts as long as nobody has pushed since it was
/// fetched: a commit never changes, so nothing is asked for it. The source is asked about no more repositories at the
/// same time than it takes (`Source.concurrency`). When the window moves, what left it is cancelled or not begun, and
/// does not arrive. No more waits in memory than one arrival for each visible repository.
public actor VisibleCommits {
    /// What is known about the commits of one repository.
    public struct Arrival: Sendable {
        public let repository: Repository
        /// The outcome is an ending: `localOnly` when what is stored was enough.
        public let answer: Answer<ListCommits.Window>
    }

    /// So many repositories are visible at most.
    public static let visibleMax = 1_000

    private let commits: ListCommits
    private let limit: Int
    private let policy: Policy
    private let width: Int
    private var visible: Set<Int64> = []
    private var waiting: [Repository] = []
    private var running: [Int64: Task<Void, Never>] = [:]
    private var arrived: [Arrival] = []
    private var observers: [CheckedContinuation<Void, Never>] = []
    private var isClosed = false

    init(_ commits: ListCommits, limit: Int, policy: Policy, atMost width: Int) {
        precondition((1...Limits.pageRows).contains(limit), "a window has 1 to \(Limits.pageRows) rows")
        self.commits = commits
        self.limit = limit
        self.policy = policy
        self.width = width
    }

    deinit { for task in running.values { task.cancel() } }

    /// Moves the window: these repositories are visible now, and no others. The first ones are asked about first.
    public func show(_ repositories: [Repository]) {
        precondition(repositories.count <= Self.visibleMax, "at most \(Self.visibleMax) are visible")
        guard !isClosed else { return }
        let before = visible
        visible = Set(repositories.map(\.id))
        waiting.removeAll { !visible.contains($0.id) }
        arrived.removeAll { !visible.contains($0.repository.id) }
        for (id, task) in running where !visible.contains(id) { task.cancel() }
        var seen = before.union(running.keys)
        waiting += repositories.filter { seen.insert($0.id).inserted }
        begin()
    }

    /// What has come, in that order, until ``close()`` or until the observing task is cancelled. Each arrival goes to
    /// one observer.
    public nonisolated var arrivals: AsyncStream<Arrival> {
        AsyncStream { await self.next() }
    }

    /// Cancels what is being asked and ends the arrivals.
    public func close() {
        isClosed = true
        (visible, waiting, arrived) = ([], [], [])
        for task in running.values { task.cancel() }
        wake()
    }

    private func next() async -> Arrival? {
        while arrived.isEmpty {
            guard !isClosed, !Task.isCancelled else { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { observers.append($0) }
            } onCancel: {
                // Comes to the actor after the observer, which holds it until it waits.
                Task { await self.wake() }
            }
        }
        return arrived.removeFirst()
    }

    private func wake() {
        for observer in observers { observer.resume() }
        observers = []
    }

    private func begin() {
        while running.count < width, !waiting.isEmpty {
            let repository = waiting.removeFirst()
            running[repository.id] = Task { [weak self, commits, limit, policy] in
                let answer = await commits.current(repository, limit: limit, policy)
                await self?.end(Arrival(repository: repository, answer: answer))
            }
        }
    }

    private func end(_ arrival: Arrival) {
        let id = arrival.repository.id
        let isCancelled = running.removeValue(forKey: id)?.isCancelled ?? true
        if visible.contains(id) {
            // It left the window and came back before its question had ended.
            if isCancelled { waiting.insert(arrival.repository, at: 0) } else { arrived.append(arrival) }
        }
        begin()
        wake()
    }
}

extension Gateway {
    /// The newest commits of what is visible.
    ///
    /// - Parameters:
    ///   - limit: how many commits of each repository, 1 to 10,000 (`Limits.pageRows`).
    ///   - policy: with `localFirst` what is stored counts as long as nobody has pushed since; `remoteFirst` and
    ///     `refresh` ask about every repository, `localOnly` about none.
    public func visibleCommits(limit: Int = 10, policy: Policy = .localFirst) -> VisibleCommits {
        VisibleCommits(listCommits, limit: limit, policy: policy, atMost: source.concurrency)
    }
}

extension ListCommits {
    /// What is stored, when that is as many as wanted and nobody has pushed since it was fetched; else what the
    /// source says.
    fileprivate func current(
        _ repository: Repository, limit: Int, _ policy: Policy
    ) async -> Answer<Window> {
        let name = RepositoryName.named(owner: repository.owner.login, name: repository.name)
        guard policy == .localFirst else { return await self(name, limit: limit, policy: policy).ending }
        do {
            let stored = try await stored(.id(repository.id), limit)
            if let window = stored.value, let fetchedAt = stored.fetchedAt,
                fetchedAt >= repository.facts?.pushedAt ?? fetchedAt,
                !window.isPartial
            {
                return stored.answer(.localOnly, at: now(), served)
            }
        } catch {
            return Answer(value: nil, age: nil, outcome: .failed(PatchbayError(wrapping: error)))
        }
        return await self(name, limit: limit).ending
    }
}
