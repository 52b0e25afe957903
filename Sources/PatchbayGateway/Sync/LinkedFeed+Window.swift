import PatchbayCore
import PatchbayDomain

extension LinkedFeed {
    /// So many pages at most are fetched for a window, should a source send pages without rows.
    static var windowPagesMax: Int64 { 1_000 }

    /// Fetches the list from its start, as far as so many rows reach, each page saved before the next is asked
    /// for. The cursor of an interrupted sync stays where it is.
    ///
    /// - Returns: whether anything has changed.
    func refresh(
        rows: Int, isConditional: Bool, in store: Store, now: @Sendable () -> Timestamp
    ) async throws -> Bool {
        var run = StoredListRun(list: list, query: query, startedAt: now())
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
    /// The first keys of a list; nil when nothing of it was ever fetched.
    func listedKeys(of list: String, limit: Int) throws -> ListedKeys? {
        var listed: ListedKeys?
        var seen: Set<String> = []
        var next: String?
        try scan(Query(StoredListPage.collection, .equal(.text(list)))) { row in
            let page = StoredListPage(row)
            // Behind a page that was fetched anew, the old ones may be of another list.
            guard listed == nil || page.link == next else { return .stop }
            next = page.next
            var known = listed ?? ListedKeys(fetchedAt: page.fetchedAt)
            known.fetchedAt = min(known.fetchedAt, page.fetchedAt)
            let keys = page.keys.filter { seen.insert($0).inserted }
            known.goesOn = known.keys.count + keys.count > limit || page.next != nil
            known.keys += keys.prefix(limit - known.keys.count)
            listed = known
            return known.keys.count < limit ? .next : .stop
        }
        return listed
    }
}
