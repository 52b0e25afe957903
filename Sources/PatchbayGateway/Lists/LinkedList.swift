import PatchbayCore
import PatchbayDomain

/// A list whose pages can be reached only by following links, or a search. Each page is stored with the keys of its
/// rows; the cursor of a sync is the number of a page and the link to it.
struct LinkedList: ItemListFeed {
    let question: ListQuestion
    let list: String
    let gateway: Gateway
    /// Whether a walk from the start of the list to its end marks missing rows as gone.
    var marksGone = true

    /// The page counts that are accepted from a source.
    private static var pageCounts: ClosedRange<Int64> { 1...1_000_000_000 }

    /// - Parameter list: the name under which the list is stored; nil for the question's name.
    init(_ question: ListQuestion, of gateway: Gateway, list: String? = nil) {
        self.question = question
        self.gateway = gateway
        // A list entered at another place has other pages.
        self.list = list ?? ListName.list(question.name, after: question.after)
    }

    var resource: Resource { question.resource }

    typealias Page = StoredListPage

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place {
        let stored = try storedPage(of: run, in: reading).map { try confirmable($0, in: reading) }
        var request = ItemRequest(question(of: run), next: run.next)
        request.storedNext = stored?.next
        return Place(
            request: request, stored: stored, before: try reading.before(resource))
    }

    private func storedPage(of run: StoredListRun, in reading: borrowing Reading) throws -> StoredListPage? {
        if run.since != nil { return try newerPage(of: run, in: reading) }
        let stored = try page(at: run.position, in: reading)
        // A page with another link is a different page.
        return stored?.link == run.next ? stored : nil
    }

    func save(
        _ fetched: Fetched<ItemPage>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at now: Timestamp
    ) throws -> RowChanges {
        let time = age(of: now)
        try writing.requireNoClearing(of: resource, since: place.before)
        noteBeginning(fetched, at: place, in: &run)
        if run.since != nil {
            return try saveNewer(fetched, at: place, from: run.next, moving: &run, in: &writing, at: time)
        }
        if case .changed(let fresh, _) = fetched { run.note(total: fresh.total) }
        if run.position == 0, let former = try self.page(at: 0, in: writing.reading) {
            run.note(former, for: identity)
        }
        var (page, changes) = try self.page(fetched, at: place, of: run, in: &writing, at: time)
        // For an empty list, the rows that it must contain can only be determined from its previous pages.
        let isEmpty = page.keys.isEmpty && page.next == nil && run.position == 0
        let former = try isEmpty && marksGone ? coveredRows(in: writing.reading) : nil
        if case .changed(let fresh, _) = fetched, fresh.isOne,
            let first = try firstPage(again: page, in: writing.reading)
        {
            try writing.put(first)
            (run.next, run.pages) = (first.next, run.pages - 1)
            return changes
        }
        run.rows += Int64(page.keys.count)
        run.position += 1
        run.next = page.next
        run.pageCount = page.pageCount ?? run.pageCount
        if page.next == nil, page.incomplete == nil { page.incomplete = shortfall(of: fetched, run)?.stored }
        run.incomplete = run.incomplete ?? page.incomplete
        try keepRest(after: page, in: &writing)
        let rest = page.next == nil && !marksGone ? try self.rest(of: page, in: writing.reading) : nil
        try writing.put(page)
        try note(page, in: &run, &changes, writing.reading)
        guard page.next == nil else { return changes }
        run.finishedAt = time
        try deletePages(from: run.position, in: &writing)
        let isCounted = run.leastTotal != nil && isCountable(run)
        let listed = marksGone || isCounted ? try distinctRows(in: writing.reading) : DistinctRows()
        if isCounted, page.incomplete == nil, !listed.isRepetitive,
            let shortfall = shortfall(of: listed.count, outOf: run.leastTotal, areRepeated: true)
        {
            page.incomplete = shortfall.stored
            run.incomplete = run.incomplete ?? page.incomplete
            try writing.put(page)
        }
        if let rest {
            try putUnlisted(rest.keys, from: run.position, in: &writing, at: rest.fetchedAt)
        }
        // A list on one page has no time to move. An empty one may be an answer that has lost its rows, unless it is a
        // field of another row, which is not read again until that row changes.
        let isOneMoment =
            run.pages == 1 && run.position == 1 && !fetched.isUnchanged
            && (!page.keys.isEmpty || resource.declaration.parentField != nil)
        if marksGone {
            changes += try markUnlisted(
                former, unless: listed, atOnce: hasFixedOrder || isOneMoment, &run, in: &writing, at: time)
        }
        return changes
    }

    /// The time of rows that are saved now: rows in a field of another row are as old as that row.
    private func age(of now: Timestamp) -> Timestamp {
        guard resource.declaration.parentField != nil, let fetchedAt = question.parent?.state.fetchedAt else {
            return now
        }
        return min(now, fetchedAt)
    }

    /// The shortfall of a list whose last page comes before the number of rows that its source counts: on this page, or
    /// else on one before. Nil when the source counts no more.
    private func shortfall(of last: Fetched<ItemPage>, _ run: StoredListRun) -> Shortfall? {
        guard isCountable(run), case .changed(let page, _) = last else { return nil }
        return shortfall(of: run.rows, outOf: page.total ?? run.total)
    }

    /// Whether a finished run has counted all rows, and not only those of some pages.
    private func isCountable(_ run: StoredListRun) -> Bool {
        run.pages == run.position && question.after == 0 && question.isList
    }

    private func page(
        _ fetched: Fetched<ItemPage>, at place: Place, of run: StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> (StoredListPage, RowChanges) {
        let new = StoredListPage(list: list, position: run.position, link: run.next, fetchedAt: time)
        guard case .changed(let fresh, _) = fetched else {
            return try answered(new, by: fetched, at: place, of: run, in: &writing, at: time)
        }
        try requireProgress(fresh, at: run.position, in: writing.reading)
        try requireNoCircle(fresh, of: run, in: writing.reading)
        var (page, changes) = try answered(new, by: fetched, at: place, of: run, in: &writing, at: time)
        if case .search = question.subject {
            try writing.note(fresh, in: list, isFirst: run.position == 0, at: time) {
                $0.total = fresh.total ?? $0.total
                $0.cap = fresh.cap
            }
        }
        // The number comes from outside and is used in arithmetic, so an implausible one is dropped.
        page.pageCount = fresh.pageCount.flatMap { Self.pageCounts.contains($0) ? $0 : nil }
        return (page, changes)
    }

    /// Saves the rows of an answer.
    ///
    /// - Parameter new: a page without rows, for an answer that does not confirm the stored one.
    /// - Returns: the page to store.
    func answered(
        _ new: StoredListPage, by fetched: Fetched<ItemPage>, at place: Place, of run: StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> (StoredListPage, RowChanges) {
        switch fetched {
        case .unchanged:
            // An answer without a body may lack the links as well, so the stored page is kept.
            guard var page = place.stored else { throw unchangedWithoutCondition }
            page.fetchedAt = time
            for key in page.keys { try writing.confirmListed(key, of: resource) }
            return (page, RowChanges())
        case .changed(let answer, let validator):
            let fresh = try withoutTies(answer, at: new.position, of: new.list, in: writing.reading)
            let saved = try saveIdentified(fresh, of: run, since: place.before, in: &writing, at: time)
            var page = new
            page.incomplete = saved.shortfall?.stored
            page.keys = saved.keys
            page.next = fresh.next
            page.isFull = fresh.isFull
            page.validator = validator
            page.answeredAt = fresh.answeredAt
            page.changeNumber = try writing.lastChangeNumber()
            return (page, saved.changes)
        }
    }

    /// Deletes stored pages after the end of the list.
    func deletePages(of list: String? = nil, from position: Int64, in writing: inout Writing) throws {
        try writing.delete(Query(StoredListPage.collection, range(of: list, from: position)))
    }

    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages {
        var known = KnownPages(), pages: [StoredListPage] = []
        guard run.since == nil else { return known }
        try scan(from: run.position, in: reading) { if !$0.isUnlisted { pages.append($0) } }
        for page in pages {
            known.add(try confirmable(page, in: reading), for: identity)
        }
        return known
    }

    func hasChange(
        of page: StoredListPage, after number: Int64, in reading: borrowing Reading
    ) throws -> Bool {
        // A page of the plan was read without its keys, which are not looked up while no row has changed.
        if page.keys.isEmpty, try !reading.hasChange(of: resource, after: number) { return false }
        let whole =
            page.keys.isEmpty
            ? try reading.get(StoredListPage.self, [.text(page.list), .integer(page.position)]) : page
        return try (whole?.keys ?? []).contains {
            guard let key = KeyText.key($0.text, of: resource) else { return true }
            return try reading.item(key, of: resource).map { $0.listedNumber > number } ?? true
        }
    }

    func walk(at run: StoredListRun, in reading: borrowing Reading) throws -> ListWalk {
        var walk = ListWalk(run)
        guard run.since == nil else { return walk }
        try scan(from: 0, to: run.position, in: reading) { walk.add($0.link) }
        return walk
    }
}

// MARK: - Stored pages

extension LinkedList {
    /// Nil for a page with a key that no row can have, which another program must have stored: it is fetched again.
    func page(
        at position: Int64, of other: String? = nil, in reading: borrowing Reading
    ) throws -> StoredListPage? {
        let page = try reading.get(StoredListPage.self, [.text(other ?? list), .integer(position)])
        let isSound = page?.keys.allSatisfy { KeyText.key($0.text, of: resource) != nil } ?? true
        return isSound ? page : nil
    }

    /// Visits the stored pages from `position` up to, but not including, `end`.
    func scan(
        from position: Int64, to end: Int64? = nil, fields: FieldSet = StoredListPage.withoutKeys,
        in reading: borrowing Reading, _ visit: (StoredListPage) throws -> Void
    ) throws {
        let query = Query(StoredListPage.collection, range(from: position, to: end), fields: fields)
        try reading.scan(query) { row in
            try visit(StoredListPage(row))
            return .next
        }
    }

    private func range(of other: String? = nil, from position: Int64, to end: Int64? = nil) -> Bounds {
        let name = Key.text(other ?? list)
        return .between(
            .including([name, .integer(position)]),
            end.map { .excluding([name, .integer($0)]) } ?? .including(name))
    }

    func hasStart(in reading: borrowing Reading) throws -> Bool { try page(at: 0, in: reading) != nil }
}
