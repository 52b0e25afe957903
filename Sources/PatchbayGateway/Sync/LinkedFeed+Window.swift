import PatchbayCore
import PatchbayDomain

extension LinkedFeed {
    /// So many pages at most are fetched for a window, should a source send pages without rows.
    static var windowPagesMax: Int64 { 1_000 }

    /// Fetches the pages that a window lies in, each saved before the next is asked for. Pages before it that are
    /// stored are not asked for. The cursor of an interrupted sync stays where it is.
    ///
    /// - Parameters:
    ///   - rows: how many rows the window has.
    ///   - skipped: how many rows of the list stand before it.
    /// - Returns: whether anything has changed.
    func refresh(
        rows: Int, behind skipped: Int = 0, isConditional: Bool, in store: SourceStore,
        now: @Sendable () -> Timestamp
    ) async throws -> Bool {
        let new = StoredListRun(list: list, query: query, startedAt: now())
        var run = try await store.read { try self.run(new, movedBehind: skipped, in: $0) }
        var feed = self
        // Pages that were fetched at another time do not tell what the list lacks now.
        if run.position > 0 { feed.finish = nil }
        do {
            return try await feed.refresh(
                &run, rows: skipped + rows, isConditional: isConditional, in: store, now: now)
        } catch let error as PatchbayError where error.isAboutForeignLink && run.position > 0 {
            // The stored pages before the window lead to another server, so the list begins again at this one.
            run = new
            return try await self.refresh(
                &run, rows: skipped + rows, isConditional: isConditional, in: store, now: now)
        }
    }

    private func refresh(
        _ run: inout StoredListRun, rows: Int, isConditional: Bool, in store: SourceStore,
        now: @Sendable () -> Timestamp
    ) async throws -> Bool {
        var hasChanged = false
        while run.finishedAt == nil, run.rows < rows, run.pages < Self.windowPagesMax {
            try Task.checkCancellation()
            let from = run
            var place = try await store.read { try self.place(of: from, in: $0) }
            if !isConditional { place.stored = nil }
            let asked = place
            let fetched = try await fetch(asked)
            let time = now()
            run = try await store.write { writing in
                var moved = from
                moved.pages += 1
                try save(fetched, at: asked, moving: &moved, in: &writing, at: time)
                return moved
            }
            if case .changed = fetched { hasChanged = true }
            guard run.next == nil || run.next != from.next else {
                throw PatchbayError(
                    .invalidResponse, "the \(list) lead in a circle, back to \"\(run.next ?? "")\"")
            }
        }
        return hasChanged
    }

    /// The run at the page that holds the row behind so many others, as far as pages that are stored lead there.
    private func run(
        _ new: StoredListRun, movedBehind skipped: Int, in reading: borrowing Reading
    ) throws -> StoredListRun {
        guard skipped > 0 else { return new }
        var run = new
        try reading.scan(Query(StoredListPage.collection, .equal(.text(list)))) { row in
            let page = StoredListPage(row)
            let isNext = page.position == run.position && page.link == run.next
            let end = run.rows + Int64(page.keys.count)
            guard isNext, end <= skipped, page.next != nil else { return .stop }
            (run.rows, run.position, run.next) = (end, run.position + 1, page.next)
            return .next
        }
        return run
    }
}

/// What is stored of the start of a list.
struct ListedKeys: Sendable {
    /// The keys of the rows in the order of the list, each once.
    var keys: [String] = []
    /// Whether the list has more rows than these.
    var goesOn = false
    /// When the oldest of the pages was fetched.
    var fetchedAt: Timestamp
}

extension Reading {
    /// So many keys of a list behind others; nil when nothing of that stretch was ever fetched.
    func listedKeys(of list: String, behind skipped: Int = 0, limit: Int) throws -> ListedKeys? {
        var listed: ListedKeys?
        var seen: Set<String> = []
        var next: String?, isFirst = true
        try scan(Query(StoredListPage.collection, .equal(.text(list)))) { row in
            let page = StoredListPage(row)
            // Behind a page that was fetched anew, the old ones may be of another list.
            guard isFirst || page.link == next else { return .stop }
            (next, isFirst) = (page.next, false)
            let before = max(0, skipped - seen.count)
            let keys = page.keys.filter { seen.insert($0).inserted }.dropFirst(before)
            // A page before the stretch says nothing about it, unless the list ends there.
            guard seen.count > skipped || page.next == nil else { return .next }
            var known = listed ?? ListedKeys(fetchedAt: page.fetchedAt)
            known.fetchedAt = min(known.fetchedAt, page.fetchedAt)
            known.goesOn = known.keys.count + keys.count > limit || page.next != nil
            known.keys += keys.prefix(limit - known.keys.count)
            listed = known
            return known.keys.count < limit ? .next : .stop
        }
        return listed
    }
}
