import PatchbayCore
import PatchbayDomain

/// Fetches a list from its cursor to its end, a page a step. The page's rows, the page and the moved cursor
/// are saved in one transaction.
struct ListStage<Feed: ListFeed>: SyncStage {
    private let store: SourceStore
    private let feed: Feed
    private let start: SyncStart
    private let now: @Sendable () -> Timestamp
    /// The cursor, once it was read or made.
    private var run: StoredListRun?
    private var followed = FollowedLinks()

    init(_ feed: Feed, in store: SourceStore, from start: SyncStart, now: @escaping @Sendable () -> Timestamp)
    {
        self.feed = feed
        self.store = store
        self.start = start
        self.now = now
    }

    func plan() async throws -> SyncPlan {
        let run = try await resumable()
        let from = run ?? StoredListRun(list: feed.list, query: feed.query, startedAt: now())
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
        progress.list = feed.list
        guard run.finishedAt == nil else { return .finished }
        guard requestsLeft > 0 else { return .limitReached }
        let place = try await store.read { [feed] in try feed.place(of: run, in: $0) }
        progress.requests += 1
        let fetched = try await feed.fetch(place)
        let moved = try await save(fetched, at: place, of: run)
        self.run = moved
        followed.add(run.next)
        if case .unchanged = fetched { progress.unchanged += 1 }
        progress.rows += moved.rows - run.rows
        progress.show(moved)
        return .saved
    }

    /// The cursor of an interrupted run of the same question; nil when a new run is due.
    private func resumable() async throws -> StoredListRun? {
        guard start == .whereItStopped else { return nil }
        let run = try await store.read { [feed] in try $0.get(StoredListRun.self, .text(feed.list)) }
        guard let run, run.query == feed.query, run.finishedAt == nil, run.isPlausible else { return nil }
        return run
    }

    private mutating func begun() async throws -> StoredListRun {
        if let run { return run }
        if let resumed = try await resumable() {
            run = resumed
            return resumed
        }
        let new = StoredListRun(list: feed.list, query: feed.query, startedAt: now())
        // A cursor alone is nothing that the source told.
        try await store.inner.write { try $0.put(new) }
        run = new
        return new
    }

    private func save(
        _ fetched: Fetched<Page<Feed.Item>>, at place: Feed.Place, of run: StoredListRun
    ) async throws -> StoredListRun {
        try await store.write { [feed, followed, now] writing in
            let stored = try writing.reading.get(StoredListRun.self, .text(feed.list))
            guard let stored else {
                throw PatchbayError(
                    .conflict, "the \(feed.list) were cleared while they were fetched; sync them again")
            }
            guard stored == run else {
                throw PatchbayError(
                    .busy, "somebody else fetches the \(feed.list) at this moment; let that come to its end")
            }
            var moved = run
            moved.pages += 1
            try feed.save(fetched, at: place, moving: &moved, in: &writing, at: now())
            try followed.check(moved, from: run)
            try writing.put(moved)
            return moved
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
