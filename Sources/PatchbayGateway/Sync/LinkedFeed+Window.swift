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
        var walk = try await store.read { try self.walk(new, movedBehind: skipped, in: $0) }
        var feed = self
        // Pages that were fetched at another time do not tell what the list lacks now.
        if walk.run.position > 0 { feed.finish = nil }
        do {
            return try await feed.refresh(
                &walk, rows: skipped + rows, isConditional: isConditional, in: store, now: now)
        } catch let error as PatchbayError where error.isAboutForeignLink && walk.run.position > 0 {
            // The stored pages before the window lead to another server, so the list begins again at this one.
            walk = Walk(run: new)
            return try await refresh(
                &walk, rows: skipped + rows, isConditional: isConditional, in: store, now: now)
        }
    }

    private func refresh(
        _ walk: inout Walk, rows: Int, isConditional: Bool, in store: SourceStore,
        now: @Sendable () -> Timestamp
    ) async throws -> Bool {
        var hasChanged = false
        while walk.run.finishedAt == nil, walk.shown < rows, walk.run.pages < Self.windowPagesMax {
            try Task.checkCancellation()
            let from = walk
            var place = try await store.read { try self.place(of: from.run, in: $0) }
            if !isConditional { place.stored = nil }
            let asked = place
            let fetched = try await fetch(asked)
            let time = now()
            walk = try await store.write { writing in
                var moved = from
                moved.run.pages += 1
                try save(fetched, at: asked, moving: &moved.run, in: &writing, at: time)
                try moved.followed.check(moved.run, from: from.run, of: list)
                moved.followed.add(from.run.next)
                try count(from.run.position, in: &moved, writing.reading)
                return moved
            }
            if case .changed = fetched { hasChanged = true }
        }
        return hasChanged
    }

    /// A walk through the pages of a window.
    private struct Walk: Sendable {
        var run: StoredListRun
        var followed = FollowedLinks()
        /// The keys of the rows so far.
        var seen: Set<String> = []
        /// How many of them a window shows.
        var shown = 0
    }

    /// The walk at the page that holds the row behind so many others, as far as pages that are stored lead there.
    private func walk(
        _ new: StoredListRun, movedBehind skipped: Int, in reading: borrowing Reading
    ) throws -> Walk {
        var walk = Walk(run: new)
        while walk.shown < skipped {
            let run = walk.run
            guard let page = try place(of: run, in: reading).stored, page.next != nil else { break }
            var moved = walk
            try count(run.position, in: &moved, reading)
            // The page that holds the first row of the window is asked for.
            guard moved.shown <= skipped else { break }
            (moved.run.position, moved.run.next) = (run.position + 1, page.next)
            walk = moved
        }
        return walk
    }

    /// Adds the rows of a stored page to those that a walk has seen.
    private func count(_ position: Int64, in walk: inout Walk, _ reading: borrowing Reading) throws {
        let page = try reading.get(StoredListPage.self, [.text(list), .integer(position)])
        for key in page?.keys ?? [] where walk.seen.insert(key).inserted {
            if try isShown(key, reading) { walk.shown += 1 }
        }
    }
}

/// What is stored of a stretch of a list.
struct Listed<Item: Sendable>: Sendable {
    /// In the order of the list, each once.
    var items: [Item] = []
    /// Whether the list has more items after these. False when the stretch itself is not stored to its end.
    var goesOn = false
    /// Whether items of the stretch itself were not fetched yet.
    var isPartial = false
    /// When the oldest of the pages was fetched.
    var fetchedAt: Timestamp
}

extension Reading {
    /// So many items of a list behind others; nil when nothing of that stretch was ever fetched.
    ///
    /// - Parameter item: the item of a key; nil for one that is missing or no longer listed, which does not count.
    func listed<Item>(
        _ list: String, behind skipped: Int = 0, limit: Int,
        item: (String, borrowing Reading) throws -> Item?
    ) throws -> Listed<Item>? {
        var listed: Listed<Item>?
        var seen: Set<String> = [], before = 0
        var position: Int64 = 0, next: String?
        while let page = try get(StoredListPage.self, [.text(list), .integer(position)]),
            // After a page that was fetched again, the old ones may be of another list.
            position == 0 || page.link == next
        {
            (position, next) = (position + 1, page.next)
            var items = try page.keys.filter { seen.insert($0).inserted }.compactMap { try item($0, self) }
            let passed = min(skipped - before, items.count)
            before += passed
            items.removeFirst(passed)
            // A page before the stretch says nothing about it, unless the list ends there.
            guard !items.isEmpty || listed != nil || next == nil else { continue }
            var known = listed ?? Listed(fetchedAt: page.fetchedAt)
            known.fetchedAt = min(known.fetchedAt, page.fetchedAt)
            let room = limit - known.items.count
            known.goesOn = items.count > room || items.count == room && next != nil
            known.items += items.prefix(room)
            known.isPartial = known.items.count < limit && next != nil
            listed = known
            guard next != nil, known.items.count < limit else { break }
        }
        return listed
    }
}
