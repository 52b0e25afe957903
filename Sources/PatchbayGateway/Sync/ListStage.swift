import PatchbayCore
import PatchbayDomain

/// Fetches a list from its cursor to its end, one page per step. The rows, the page and the moved cursor are saved in
/// one transaction.
struct ListStage<Feed: ListFeed>: SyncStage {
    private let feed: Feed
    private let resource: Resource
    private let start: SyncStart
    /// The position in the list, once the cursor has been read or made.
    private var walk: ListWalk?
    private var hasRestarted = false
    private var hasReported = false
    /// Whether the run was interrupted and its last page has not been requested again yet.
    private var isUnchecked = false
    /// Whether that page was only confirmed, so that its link may have expired; it is then requested unconditionally.
    private var isConfirmed = false
    private var hasRechecked = false
    /// Whether the link at the cursor is one that the source has just returned once more.
    private var isLinkRepeated = false
    private var absence = AbsentRows()
    /// The number of rows so far that have a time in the future.
    private var ahead: Int64 = 0
    /// Why the list may have no rows although the source returned some.
    private var emptiness = Emptiness()

    init(_ feed: Feed, of resource: Resource, from start: SyncStart) {
        self.feed = feed
        self.resource = resource
        self.start = start
    }

    private var store: SourceStore { feed.gateway.sourceStore }
    private func now() -> Timestamp { feed.gateway.now() }

    func plan() async throws -> SyncPlan {
        let former = try await former()
        if former.map(isDone) == true { return SyncPlan() }
        let run = former.flatMap { $0.finishedAt == nil ? $0 : nil }
        let from = run ?? feed.run(after: former, at: now())
        let known = try await store.read { [feed] in try feed.pages(from: from, in: $0) }
        let counted = run?.pageCount.map { Int(clamping: $0 - from.pages) }
        var plan = SyncPlan()
        if resource.declaration.parentField != nil { return plan }
        plan.requestsMin = max(1, counted ?? known.count)
        plan.requestsMax = counted != nil || known.hasEnd ? plan.requestsMin : nil
        plan.conditional = min(known.conditional, plan.requestsMin)
        plan.pagesDone = from.pages
        if let last = try await store.read({ [feed] in try feed.lastPage(of: from, in: $0) }) {
            let place = try await store.read { [feed] in try feed.place(of: last, in: $0) }
            plan.requestsMin += 1
            plan.requestsMax? += 1
            plan.conditional += place.validator.isCondition ? 1 : 0
        }
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let walk = try await begun(), run = walk.run
        progress.list = feed.title
        guard run.finishedAt == nil else {
            let step = try await absence.request(
                atMost: requestsLeft, of: resource, feed.gateway, &progress
            ) { [feed] in try feed.missingRows(of: run, limit: $1, in: $0) }
            guard step == .finished else {
                let settled = try await store.write { [feed] in try feed.settled(run, in: &$0) }
                self.walk?.run = settled
                return step
            }
            if let reason = run.incomplete, !hasReported {
                progress.add([ListShortfall(list: feed.title, shortfall: Shortfall(stored: reason))])
            }
            hasReported = true
            return .finished
        }
        // The last page and the next one are requested together, or rows may move again between them.
        guard requestsLeft > (isUnchecked ? 1 : 0) else { return .limitReached }
        do {
            var walk = walk
            if isUnchecked {
                try await check(walk, &progress)
                isUnchecked = false
                walk = self.walk ?? walk
            }
            if walk.run.finishedAt == nil { try await advance(walk, &progress) }
            if let moved = self.walk?.run, moved.finishedAt != nil {
                let notes = feed.notes(on: moved, ahead: ahead) + emptiness.notes(on: moved, of: resource)
                for note in notes { report(.noted(feed.title, note)) }
            }
        } catch let error as PatchbayError {
            let reached = self.walk ?? walk
            let isLinkVoid = reached.isAboutLink(error) && (error.isAboutForeignLink || !isLinkRepeated)
            guard !hasRestarted, isLinkVoid else { throw reached.error(error) }
            if isConfirmed, !hasRechecked, !error.isAboutForeignLink {
                (hasRechecked, isUnchecked) = (true, true)
            } else {
                try await restart(run)
            }
        }
        return .saved
    }

    /// Fetches and saves the page at the cursor. If another gateway has moved the cursor, continues from there instead.
    private mutating func advance(_ walk: ListWalk, _ progress: inout SyncProgress) async throws {
        let stage = self, run = walk.run
        let requested = try await store.request {
            stage.feed.name(of: $0.place)
        } look: { reading, _ -> Leases.Need<(run: StoredListRun, place: Feed.Place)> in
            let stored = try stage.stored(like: run, in: reading)
            let place = try stage.feed.place(of: stored, in: reading)
            // An unchanged page would keep the link that was refused.
            let cursor = (run: stored, place: stage.hasRestarted ? place.unconditional : place)
            return stored == run ? .request(cursor) : .nothing(cursor)
        } send: {
            progress.requests += stage.resource.declaration.parentField == nil ? 1 : 0
            return try await stage.feed.fetch($0.place)
        } save: { fetched, cursor, writing in
            try stage.save(fetched, at: cursor.place, of: walk, in: &writing)
                .map {
                    (moved: $0, changes: $1, isUnchanged: fetched.isUnchanged, emptiness: Emptiness(fetched))
                }
        }
        switch requested {
        case .saved(let page?):
            self.walk?.advance(to: page.moved, hasNewLink: !page.isUnchanged)
            isLinkRepeated = false
            emptiness.add(page.emptiness)
            progress.changes += page.changes
            ahead += page.changes.ahead
            absence.isAny = absence.isAny || page.changes.missing > 0
            progress.unchanged += page.isUnchanged ? 1 : 0
            progress.rows += page.moved.rows - run.rows
            progress.show(page.moved)
        case .saved(nil):
            try await follow(try await store.read { try stage.stored(like: run, in: $0) }, &progress)
        case .savedByAnother(let cursor): try await follow(cursor.run, &progress)
        }
    }

    /// Requests the last stored page of an interrupted run again. If it has other rows by now, rows have moved across
    /// its end, and the list starts over.
    private mutating func check(_ walk: ListWalk, _ progress: inout SyncProgress) async throws {
        let stage = self, run = walk.run
        let requested = try await store.request {
            stage.feed.name(of: $0.place)
        } look: { reading, _ -> Leases.Need<Checked> in
            let stored = try stage.stored(like: run, in: reading)
            guard stored == run, let last = try stage.feed.lastPage(of: run, in: reading) else {
                return .nothing(Checked(run: stored, place: try stage.feed.place(of: stored, in: reading)))
            }
            let place = try stage.feed.place(of: last, in: reading), keys = place.stored?.keys ?? []
            return .request(
                Checked(run: last, place: stage.hasRechecked ? place.unconditional : place, keys: keys))
        } send: {
            progress.requests += 1
            return try await stage.feed.fetch($0.place)
        } save: { fetched, checked, writing in
            try stage.save(fetched, of: run, checked, in: &writing)
                .map { (moved: $0, changes: $1, isUnchanged: fetched.isUnchanged) }
        }
        switch requested {
        case .saved(let page?):
            (isConfirmed, isLinkRepeated) = (page.isUnchanged, !page.isUnchanged)
            progress.changes += page.changes
            progress.unchanged += page.isUnchanged ? 1 : 0
            try await follow(page.moved, &progress)
            self.walk?.hasNewLink = !page.isUnchanged
        case .saved(nil):
            try await follow(try await store.read { try stage.stored(like: run, in: $0) }, &progress)
        case .savedByAnother(let checked): try await follow(checked.run, &progress)
        }
    }

    /// The cursor before a page that is requested again, and the keys of the rows that the page had.
    private struct Checked: Sendable {
        var run: StoredListRun
        var place: Feed.Place
        var keys: [KeyText] = []
    }

    private func save(
        _ fetched: Fetched<ItemPage>, of run: StoredListRun, _ checked: Checked, in writing: inout Writing
    ) throws -> (StoredListRun, RowChanges)? {
        guard try stored(like: run, in: writing.reading) == run else { return nil }
        var (moved, changes) = try feed.move(
            ListWalk(checked.run), past: fetched, at: checked.place, in: &writing, at: now())
        if case .changed(let fresh, _) = fetched,
            !fresh.items.map({ KeyText($0.key) }).holdsStart(of: checked.keys)
        {
            moved = feed.run(after: run, at: now())
            (moved.unsettledRuns, moved.formerIncomplete) = (run.unsettledRuns, run.formerIncomplete)
            moved.replacesOther = run.replacesOther
        }
        try writing.put(moved)
        return (moved, changes)
    }

    /// Continues at the cursor that another sync has moved.
    private mutating func follow(_ moved: StoredListRun, _ progress: inout SyncProgress) async throws {
        walk = try await store.read { [feed] in try feed.walk(at: moved, in: $0) }
        progress.show(moved)
    }

    /// The previous run of the same question; nil when there is none or it cannot be used. A finished one can if its
    /// pages are still a whole list.
    private func former() async throws -> StoredListRun? {
        try await store.read { [feed, start] reading in
            let run = try reading.get(StoredListRun.self, .text(feed.list))
            guard let run, run.query == feed.query, run.isPlausible, start.isAfter(run),
                try run.finishedAt == nil || feed.isConnected(in: reading)
            else { return nil }
            return run
        }
    }

    private func isDone(_ run: StoredListRun) -> Bool {
        run.finishedAt.map { feed.gateway.isFresh($0, resource) || start.includes($0, at: now()) } ?? false
    }

    private mutating func begun() async throws -> ListWalk {
        if let walk { return walk }
        guard let former = try await former() else { return try await begin(after: nil) }
        if former.finishedAt != nil, !isDone(former) { return try await begin(after: former) }
        let (walk, last) = try await store.read { [feed] reading in
            (try feed.walk(at: former, in: reading), try feed.lastPage(of: former, in: reading))
        }
        self.walk = walk
        isUnchecked = last != nil
        return walk
    }

    /// Starts again because the source no longer accepts the run's cursor.
    private mutating func restart(_ run: StoredListRun) async throws {
        (hasRestarted, isUnchecked) = (true, false)
        _ = try await store.read { [self] in try stored(like: run, in: $0) }
        _ = try await begin(after: run)
    }

    private mutating func begin(after former: StoredListRun?) async throws -> ListWalk {
        var run = feed.run(after: former, at: now())
        run.unreadMembers =
            former?.finishedAt == nil
            ? former?.unreadMembers
            : former?.unreadMembers.map {
                UnreadMembers(stored: $0).ofNextSync.stored
            }
        // A new cursor contains nothing from the source, so it does not claim the server.
        let walk = try await store.inner.write { [run] writing in
            var run = run
            if let stored = try writing.reading.get(StoredListRun.self, .text(run.list)) {
                run.replacesOther = stored.query != run.query || stored.replacesOther
                // A run that requests the same rows again finds out itself whether they are complete.
                let isAgain = stored.finishedAt == nil || stored.keepsMark
                run.formerIncomplete = isAgain ? stored.formerIncomplete : stored.incomplete
            }
            try writing.put(run)
            return ListWalk(run)
        }
        self.walk = walk
        return walk
    }

    /// Saves a page and the moved cursor; nil if another sync moved the cursor while the page was requested.
    private func save(
        _ fetched: Fetched<ItemPage>, at place: Feed.Place, of walk: ListWalk, in writing: inout Writing
    ) throws -> (StoredListRun, RowChanges)? {
        guard try stored(like: walk.run, in: writing.reading) == walk.run else { return nil }
        let (moved, changes) = try feed.move(walk, past: fetched, at: place, in: &writing, at: now())
        try writing.put(moved)
        return (moved, changes)
    }

    /// The stored cursor of the same question.
    ///
    /// - Throws: `conflict` when it no longer exists.
    private func stored(like run: StoredListRun, in reading: borrowing Reading) throws -> StoredListRun {
        let stored = try reading.get(StoredListRun.self, .text(feed.list))
        guard let stored, stored.query == run.query else {
            let event = stored == nil ? "cleared" : "synced for another account, or with another definition,"
            throw PatchbayError(
                .conflict, "the \(feed.title) were \(event) while they were fetched; sync them again")
        }
        return stored
    }
}

extension SyncProgress {
    /// Sets the pages and the cursor of a run.
    fileprivate mutating func show(_ run: StoredListRun) {
        pages = run.pages
        pageCount = run.pageCount
        next = run.finishedAt == nil ? run.next ?? "after \(run.position)" : nil
    }
}
