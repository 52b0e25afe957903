import PatchbayCore
import PatchbayDomain

/// The stored rows of a stretch of a linked list.
struct ListedRows: Sendable {
    /// In the order of the list, without duplicates.
    var items: [Item] = []
    /// Whether the list has more items after these. False when the stretch itself is not completely stored.
    var hasMore = false
    /// Whether some items of the stretch have not been fetched.
    var isPartial = false
    /// The number of places before or between the items where others were not fetched.
    var gapCount = 0
    /// The time when the oldest of the pages was fetched.
    var fetchedAt: Timestamp
    var notes = PageNotes()
}

extension LinkedList {
    func stored(
        _ extent: ListExtent, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        let maximum = extent.maximum ?? .max, limit = min(extent.limit, maximum - extent.skipped)
        guard limit > 0 else { return .init(value: ItemList([], .limitReached(maximum))) }
        guard let listed = try listed(after: extent.skipped, limit: limit, in: reading) else {
            return try unpaged(after: extent.skipped, limit: limit, in: reading)
        }
        var value = ItemList(listed.items, listed.hasMore || listed.isPartial ? .more : .endOfSource)
        value.hasMore = listed.hasMore
        value.isPartial = listed.isPartial
        value.gapCount = listed.gapCount
        value.notes = listed.notes
        try value.notes.add(newerShortfall(in: reading))
        if listed.hasMore, extent.skipped + listed.items.count == maximum {
            value.hasMore = false
            value.state = .limitReached(maximum)
        }
        return .init(value: value, fetchedAt: listed.fetchedAt)
    }

    /// The rows that belong to a list which was never fetched, such as imported rows, in the order of their keys.
    func unpaged(
        after skipped: Int, limit: Int, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        guard try !hasStart(in: reading), let covered = try coveredRows(in: reading) else { return .init() }
        var items: [Item] = [], passed = 0
        try reading.scan(covered) { row in
            if ItemState.isGone(row) { return .next }
            passed += 1
            if passed > skipped { items.append(Item(row, of: resource)) }
            return items.count > limit ? .stop : .next
        }
        guard !items.isEmpty else { return .init() }
        var value = ItemList(Array(items.prefix(limit)), .more)
        value.hasMore = items.count > limit
        value.isPartial = !value.hasMore
        value.notes = .neverFetched
        return .init(value: value, fetchedAt: value.items.compactMap(\.state.fetchedAt).min())
    }

    /// Up to `limit` items of the list after the skipped ones; nil when no page of that stretch was ever fetched. Items
    /// that are missing or no longer listed do not count.
    func listed(after skipped: Int = 0, limit: Int, in reading: borrowing Reading) throws -> ListedRows? {
        var listed: ListedRows?
        var seen: Set<KeyText> = [], before = 0, gapCount = 0
        try visitPages(acrossGaps: true, in: reading) { page, previous in
            if page.isAfterGap(previous) { gapCount += 1 }
            var items: [Item] = []
            for key in page.keys where seen.insert(key).inserted {
                if let item = try reading.listedItem(key, of: resource) { items.append(item) }
            }
            let passed = min(skipped - before, items.count)
            before += passed
            items.removeFirst(passed)
            // A page before the stretch contributes nothing, unless the list ends there.
            guard !items.isEmpty || listed != nil || page.next == nil else { return true }
            var known = listed ?? ListedRows(fetchedAt: page.fetchedAt)
            known.fetchedAt = min(known.fetchedAt, page.fetchedAt)
            known.notes.add(page, for: identity)
            let room = limit - known.items.count
            known.hasMore =
                try items.count > room || items.count == room && canContinue(after: page, in: reading)
            known.items += items.prefix(room)
            known.gapCount = gapCount
            known.isPartial = known.items.count < limit && page.next != nil
            listed = known
            return known.items.count < limit
        }
        return listed
    }

    /// Whether rows may follow a page. False when it is the last one, or only stored pages without rows follow.
    func canContinue(after page: StoredListPage, in reading: borrowing Reading) throws -> Bool {
        var page = page
        while let next = page.next {
            guard let following = try self.page(at: page.position + 1, in: reading), following.link == next,
                following.keys.isEmpty
            else { return true }
            page = following
        }
        return try unlisted(after: page, in: reading)?.keys.isEmpty == false
    }

    /// The greatest number of pages fetched for a window, in case a source sends pages without rows.
    static var windowPagesMax: Int64 { 1_000 }

    /// Stored pages before the stretch are not requested. The cursor of an interrupted sync stays where it is.
    func refresh(_ extent: ListExtent, isConditional: Bool) async throws -> FetchedPages {
        let end = min(extent.skipped + extent.limit, extent.maximum ?? .max)
        guard extent.skipped < end else { return FetchedPages() }
        let new = Walk(ListWalk(StoredListRun(list: list, query: query, startedAt: gateway.now())))
        let walk =
            extent.skipped == 0
            ? new : try await gateway.store.read { try moved(new, after: extent.skipped, in: $0) }
        return try await follow(walk, restarting: new, isConditional: isConditional) { $0.shown >= end }
    }

    /// Follows the pages from the position of a walk until there is enough.
    ///
    /// - Parameter new: the walk from the start, used when the stored links lead to another server or are no longer
    ///   valid.
    func follow(
        _ walk: Walk, restarting new: Walk, isConditional: Bool, until isEnough: (Walk) -> Bool
    ) async throws -> FetchedPages {
        var walk = walk
        do {
            return try await follow(&walk, isConditional: isConditional, until: isEnough)
        } catch let error as PatchbayError
            where walk.pages.run.position > 0 && walk.pages.isAboutLink(error)
        {
            var walk = new
            // Pages that this walk has fetched so far are fetched again, because their links may be why it ended. An
            // unchanged page would keep them.
            walk.pages.run.startedAt = gateway.now()
            return try await follow(&walk, isConditional: false, until: isEnough)
        }
    }

    private func follow(
        _ walk: inout Walk, isConditional: Bool, until isEnough: (Walk) -> Bool
    ) async throws -> FetchedPages {
        var pages = FetchedPages()
        var feed = self
        // Pages fetched at another time do not show which rows the list lacks now.
        feed.marksGone = marksGone && walk.pages.run.position == 0
        while walk.pages.run.finishedAt == nil, !isEnough(walk), walk.pages.run.pages < Self.windowPagesMax {
            try Task.checkCancellation()
            pages += try await feed.follow(&walk, isConditional: isConditional)
        }
        return pages
    }

    /// Fetches and saves one page, and counts its rows.
    private func follow(_ walk: inout Walk, isConditional: Bool) async throws -> FetchedPages {
        let old = walk
        let (pages, counted) = try await fetchPage(of: &walk.pages, isConditional: isConditional) {
            _, reading in
            var walk = old
            try count(old.pages.run.position, in: &walk, reading)
            return (walk.seen, walk.shown)
        }
        (walk.seen, walk.shown) = counted
        return pages
    }

    /// A walk through the pages of a window.
    struct Walk: Sendable {
        var pages: ListWalk
        /// The keys of the rows seen so far.
        var seen: Set<KeyText> = []
        /// The number of these rows that a window shows.
        var shown = 0
        /// Only rows after this position are counted.
        var start: ListPosition?

        init(_ pages: ListWalk, after start: ListPosition? = nil) {
            self.pages = pages
            self.start = start
        }
    }

    /// The walk at the page that contains the row after the skipped ones, or as far towards it as stored pages lead.
    private func moved(_ new: Walk, after skipped: Int, in reading: borrowing Reading) throws -> Walk {
        var walk = new
        while walk.shown < skipped {
            var run = walk.pages.run
            guard let page = try place(of: run, in: reading).stored, page.next != nil else { break }
            var moved = walk
            try count(run.position, in: &moved, reading)
            // The page that contains the first row of the window must be requested.
            guard moved.shown <= skipped else { break }
            (run.position, run.next) = (run.position + 1, page.next)
            moved.pages.advance(to: run)
            walk = moved
        }
        return walk
    }

    /// Adds the rows of a stored page to those that a walk has seen.
    private func count(_ position: Int64, in walk: inout Walk, _ reading: borrowing Reading) throws {
        for (place, key) in (try page(at: position, in: reading)?.keys ?? []).enumerated() {
            if let start = walk.start, ListPosition(position, place: place) <= start { continue }
            guard walk.seen.insert(key).inserted else { continue }
            if try reading.listedItem(key, of: resource) != nil { walk.shown += 1 }
        }
    }
}

/// The pages after one that was fetched again, as when only the first rows of a list are requested.
///
/// They are as old as before, and no row gets lost between them and the new page: the rows that have left it come first
/// on the page that follows.
extension LinkedList {
    /// The number of rows on a page up to which those that have left the page before it are added.
    private static var keptRowsMax: Int { 10_000 }

    /// Links the page after a new one with it, and puts the rows there that the new one no longer has.
    ///
    /// - Parameter page: the new page, which is not stored yet.
    func keepRest(after page: StoredListPage, in writing: inout Writing) throws {
        let position = page.position
        guard let next = page.next, let former = try self.page(at: position, in: writing.reading),
            let link = former.next, var following = try self.page(at: position + 1, in: writing.reading),
            following.link == link
        else { return }
        let left = try left(former.keys, by: page, in: writing.reading)
        if left.isEmpty, next == link { return }
        let moved = Set(left)
        following.keys = left + following.keys.filter { !moved.contains($0) }
        // A result that has left the page may no longer be one.
        let isKept = question.isList || left.isEmpty
        following.link = isKept && following.keys.count <= Self.keptRowsMax ? next : nil
        following.validator = following.validator.withoutConditions
        try writing.put(following)
    }

    /// Those of some rows that are neither on a new page nor on the page before it, each once.
    private func left(
        _ former: [KeyText], by page: StoredListPage, in reading: borrowing Reading
    ) throws -> [KeyText] {
        let before = try page.position > 0 ? self.page(at: page.position - 1, in: reading) : nil
        var shown = Set(page.keys + (before?.keys ?? []))
        return former.filter { shown.insert($0).inserted }
    }

    /// The rows that the end of the list no longer has, with the time of the oldest of their pages: the pages before it
    /// may be older, so it is not known whether they are still in the list. Nil without such rows.
    ///
    /// - Parameter page: the last page, which is not stored yet.
    func rest(
        of page: StoredListPage, in reading: borrowing Reading
    ) throws -> (keys: [KeyText], fetchedAt: Timestamp)? {
        guard question.isList else { return nil }
        var keys: [KeyText] = [], fetchedAt = page.fetchedAt
        try scan(from: page.position, fields: .all, in: reading) { former in
            guard former.validator.isSamePartition(as: page.validator) else { return }
            keys += former.keys
            fetchedAt = min(fetchedAt, former.fetchedAt)
        }
        let left = try left(keys, by: page, in: reading)
        return left.isEmpty ? nil : (left, fetchedAt)
    }

    func isConnected(in reading: borrowing Reading) throws -> Bool {
        var last: StoredListPage?, isConnected = true
        try scan(from: 0, in: reading) { page in
            if let last, last.next == nil { return }
            isConnected = isConnected && !page.isAfterGap(last)
            last = page
        }
        return isConnected && last.map { $0.next == nil } ?? true
    }
}

extension ListQuestion {
    var isList: Bool { if case .list = subject { true } else { false } }
}
