import PatchbayCore
import PatchbayDomain

/// Fetches a list from its cursor to its end, a page a step. The page's rows, the page and the moved cursor
/// are saved in one transaction.
struct ListStage<Feed: ListFeed>: SyncStage {
    private let store: SourceStore
    private let feed: Feed
    private let start: SyncStart
    private let now: @Sendable () -> Timestamp
    private let isFresh: @Sendable (Timestamp) -> Bool
    /// The cursor, once it was read or made.
    private var run: StoredListRun?
    private var followed = FollowedLinks()
    private var hasRestarted = false

    /// - Parameter isFresh: whether a list that was complete at a time need not be asked for.
    init(
        _ feed: Feed, in store: SourceStore, from start: SyncStart,
        now: @escaping @Sendable () -> Timestamp, isFresh: @escaping @Sendable (Timestamp) -> Bool
    ) {
        self.feed = feed
        self.store = store
        self.start = start
        self.now = now
        self.isFresh = isFresh
    }

    func plan() async throws -> SyncPlan {
        let former = try await former()
        if former.map(isDone) == true { return SyncPlan() }
        let run = former.flatMap { $0.finishedAt == nil ? $0 : nil }
        let from = run ?? feed.run(after: former, at: now())
        let known = try await store.read { [feed] in try feed.pages(from: from, in: $0) }
        let counted = run?.pageCount.map { Int(clamping: $0 - from.pages) }
        var plan = SyncPlan()
        plan.requestsMin = max(1, counted ?? known.count)
        plan.requestsMax = counted != nil || known.hasEnd ? plan.requestsMin : nil
        plan.conditional = min(known.conditional, plan.requestsMin)
        plan.pagesDone = from.pages
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let run = try await begun()
        progress.list = feed.title
        guard run.finishedAt == nil else { return .finished }
        guard requestsLeft > 0 else { return .limitReached }
        let place = try await store.read { [feed] in try feed.place(of: run, in: $0) }
        progress.requests += 1
        let fetched: Fetched<Feed.Content>
        do {
            fetched = try await feed.fetch(place)
        } catch let error as PatchbayError
            where error.isAboutVoidCursor && run.next != nil && !hasRestarted
        {
            try await restart(run)
            return try await step(&progress, requestsLeft: requestsLeft - 1, report: report)
        }
        let (moved, changes) = try await save(fetched, at: place, of: run)
        self.run = moved
        progress.changes += changes
        followed.add(run.next)
        if case .unchanged = fetched { progress.unchanged += 1 }
        progress.rows += moved.rows - run.rows
        progress.show(moved)
        return .saved
    }

    /// The run before, when it asked the same question; nil when it does not count.
    private func former() async throws -> StoredListRun? {
        guard start == .whereItStopped else { return nil }
        let run = try await store.read { [feed] in try $0.get(StoredListRun.self, .text(feed.list)) }
        guard let run, run.query == feed.query, run.isPlausible else { return nil }
        return run
    }

    private func isDone(_ run: StoredListRun) -> Bool { run.finishedAt.map(isFresh) ?? false }

    private mutating func begun() async throws -> StoredListRun {
        if let run { return run }
        guard let former = try await former() else { return try await begin(after: nil) }
        if former.finishedAt != nil, !isDone(former) { return try await begin(after: former) }
        run = former
        followed = try await store.read { [feed] in try feed.followed(by: former, in: $0) }
        return former
    }

    /// Starts again because the source leads on no more from where the run has come to.
    private mutating func restart(_ run: StoredListRun) async throws {
        hasRestarted = true
        followed = FollowedLinks()
        _ = try await store.read { [self] in try requireSame(run, in: $0) }
        var former = run
        former.newest = run.since
        _ = try await begin(after: former)
    }

    private mutating func begin(after former: StoredListRun?) async throws -> StoredListRun {
        let new = feed.run(after: former, at: now())
        // A cursor alone is nothing that the source told.
        try await store.inner.write { try $0.put(new) }
        run = new
        return new
    }

    private func save(
        _ fetched: Fetched<Feed.Content>, at place: Feed.Place, of run: StoredListRun
    ) async throws -> (StoredListRun, RowChanges) {
        try await store.write { [self] writing in
            try requireSame(run, in: writing.reading)
            var moved = run
            moved.pages += 1
            let changes = try feed.save(fetched, at: place, moving: &moved, in: &writing, at: now())
            try followed.check(moved, from: run, of: feed.title)
            try writing.put(moved)
            return (moved, changes)
        }
    }

    /// - Throws: `conflict` or `busy` when the stored cursor is another one than this stage has left there.
    private func requireSame(_ run: StoredListRun, in reading: borrowing Reading) throws {
        guard let stored = try reading.get(StoredListRun.self, .text(feed.list)) else {
            throw PatchbayError(
                .conflict, "the \(feed.title) were cleared while they were fetched; sync them again")
        }
        guard stored == run else {
            throw PatchbayError(
                .busy, "somebody else fetches the \(feed.title) at this moment; let that come to its end")
        }
    }
}

extension StoredListRun {
    /// Whether its numbers are such as counting comes to. A row that was imported may hold any.
    fileprivate var isPlausible: Bool {
        [position, pages, rows, pageCount ?? 0].allSatisfy { (0...1 << 60).contains($0) }
    }
}

extension SyncProgress {
    /// Shows where a list stands.
    fileprivate mutating func show(_ run: StoredListRun) {
        pages = run.pages
        pageCount = run.pageCount
        next = run.finishedAt == nil ? run.next ?? "after \(run.position)" : nil
    }
}
