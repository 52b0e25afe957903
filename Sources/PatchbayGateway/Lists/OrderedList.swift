import PatchbayCore
import PatchbayDomain

/// A list of a whole collection in ascending order of a field, so that it can be entered anywhere. For
/// each fetched page, the range of values that it covers is stored; the cursor of a sync is the last value fetched.
struct OrderedList: ItemListFeed {
    let question: ListQuestion
    let list: String
    let gateway: Gateway
    let order: ResourceField
    /// The index of the order; nil for the primary key.
    private let index: Index?

    init(_ question: ListQuestion, by order: ResourceField, of gateway: Gateway) {
        self.question = question
        self.order = order
        self.gateway = gateway
        list = question.name
        let resource = question.resource
        index = resource.key == [order] ? nil : resource.collection.index(named: "by_\(order.name)")
    }

    var resource: Resource { question.resource }
}

// MARK: - Pages

extension OrderedList {
    typealias Page = StoredListStretch

    /// Finds the page that contains a value or, if it was never fetched, the request for it. The question of the
    /// request enters the list after the value before the first one on the page.
    func place(of value: Int64, in reading: borrowing Reading) throws -> Place {
        var place = Place(request: request(after: value), before: try reading.before(resource))
        guard let page = try stretch(from: value, in: reading) else { return place }
        if value == page.end, let next = page.next {
            place.request.next = next
        } else if value < page.end || page.next == nil {
            place.request = request(after: page.after)
            place.request.next = try link(to: page, in: reading)
            place.request.storedNext = page.next
            place.stored = try confirmable(page, in: reading)
        }
        return place
    }

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place {
        try place(of: run.position, in: reading)
    }

    private func request(after value: Int64) -> ItemRequest {
        ItemRequest(question.entered(after: value))
    }

    /// The link to a page on the page before it; nil when the page was requested by value.
    private func link(to page: StoredListStretch, in reading: borrowing Reading) throws -> String? {
        guard page.after > 0, let before = try stretch(from: page.after - 1, in: reading) else { return nil }
        return before.end == page.after ? before.next : nil
    }

    /// Fetches the page at a place. If the stored link leads to another server or is no longer valid, the page is
    /// requested by the value that it starts after.
    func fetch(_ place: Place) async throws -> Fetched<ItemPage> {
        let feed = try gateway.requireFeed()
        do {
            return try await feed.page(place.request, ifChangedFrom: place.validator)
        } catch let error as PatchbayError
            where error.isAboutForeignLink
            || place.request.next != nil && (error.isAboutVoidCursor || error.code == .invalidValue)
        {
            let request = request(after: place.request.question.after)
            return try await feed.page(request, ifChangedFrom: place.validator)
        }
    }

    func save(
        _ fetched: Fetched<ItemPage>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges {
        try writing.requireNoClearing(of: resource, since: place.before)
        var page: StoredListStretch
        var changes = RowChanges()
        // Only a run that has fetched all pages has counted all rows.
        let hasAll = run.isFromStart && question.after == 0
        switch fetched {
        case .unchanged:
            page = try confirm(place, in: &writing, at: time)
            let covered = Bounds.between(.excluding(.integer(page.after)), .including(.integer(page.end)))
            try writing.reading.scan(walk(covered)) { row in
                run.rows += ItemState.isGone(row) ? 0 : 1
                return .next
            }
            if page.next == nil, hasAll, let shortfall = shortfall(of: run.rows, outOf: run.leastTotal) {
                page.incomplete = page.incomplete ?? shortfall.stored
                try writing.put(page)
            }
        case .changed(var fresh, let validator):
            run.rows += Int64(fresh.items.count)
            run.note(total: fresh.total)
            if fresh.next == nil, hasAll, fresh.shortfall == nil {
                fresh.shortfall = shortfall(of: run.rows, outOf: run.leastTotal)
            }
            if let former = try stretch(from: place.request.question.after, in: writing.reading) {
                run.note(former, for: identity)
            }
            (page, changes) = try save(fresh, validator, place, of: run, in: &writing, at: time)
        }
        run.incomplete = run.incomplete ?? page.incomplete
        run.position = page.end
        run.finishedAt = page.next == nil ? time : nil
        if page.next == nil, run.incomplete.map(isLeftOver) ?? true { run.replacesOther = false }
        return changes
    }

    /// Records that a page is unchanged.
    private func confirm(
        _ place: Place, in writing: inout Writing, at time: Timestamp
    ) throws -> StoredListStretch {
        guard var page = place.stored else {
            throw PatchbayError(
                .invalidResponse,
                "the source reports \"unchanged\" for \(title) after \(place.request.question.after), "
                    + "which it never returned")
        }
        page.fetchedAt = time
        try writing.put(page)
        return page
    }

    /// Saves a page's rows, keeping local edits, and the page itself.
    private func save(
        _ fresh: ItemPage, _ validator: Validator, _ place: Place, of run: StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> (StoredListStretch, RowChanges) {
        let start = place.request.question.after, end = try end(of: fresh, after: start)
        var changes = try writing.save(
            fresh.items, of: resource, at: time, from: identity,
            since: place.before, absent: fresh.absent)
        // On the last page of the list, all stored rows after it are no longer listed.
        let covered = fresh.next == nil ? nil : end
        let listed = Set(fresh.items.map(\.key))
        var shortfall = fresh.shortfall
        // Rows that may follow, or were left out, are not missing at the source.
        if shortfall == nil {
            let unlisted = try writing.markGone(
                walk(.between(.excluding(.integer(start)), covered.map { .including(.integer($0)) })),
                of: resource, at: time, atOnce: !run.replacesOther, unless: listed.contains)
            if unlisted.missing > 0 { shortfall = leftOver(unlisted.missing) }
            changes += unlisted
        }
        try deleteStretches(from: start, to: covered, in: &writing)
        var page = StoredListStretch(list: list, after: start, end: end, fetchedAt: time)
        page.next = fresh.next
        page.validator = validator
        page.isFull = fresh.isFull
        page.incomplete = shortfall?.stored
        page.answeredAt = fresh.answeredAt
        page.changeNumber = try writing.lastChangeNumber()
        page.rowCount = Int64(try writing.reading.count(rows(of: page)))
        try writing.put(page)
        return (page, changes)
    }

    /// The value of a page's last row.
    ///
    /// - Throws: `invalidResponse` when the page is not in order, or has no rows after its place but a next page.
    private func end(of page: ItemPage, after start: Int64) throws -> Int64 {
        var end = start
        for item in page.items {
            guard let value = item.order, value > end else {
                throw PatchbayError(
                    .invalidResponse,
                    "the page of \(title) after \(start) is not in order: "
                        + "\(item.order.map(String.init) ?? "no \(order.name)") follows \(end)")
            }
            end = value
        }
        guard page.items.isEmpty, page.next != nil else { return end }
        throw PatchbayError(
            .invalidResponse, "the page of \(title) after \(start) is empty but links to a next page")
    }

    /// Deletes overlapping pages, fetched when the list was divided differently.
    private func deleteStretches(from start: Int64, to end: Int64?, in writing: inout Writing) throws {
        let range = Bounds.between(
            .excluding([.text(list), .integer(start)]),
            end.map { .excluding([.text(list), .integer($0)]) } ?? .including(.text(list)))
        try writing.delete(Query(StoredListStretch.collection, range))
    }

    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages {
        var known = KnownPages()
        let range = Bounds.between(
            .including([.text(list), .integer(run.position)]), .including(.text(list)))
        for page in try reading.list(StoredListStretch.self, Query(StoredListStretch.collection, range)) {
            known.add(try confirmable(page, in: reading), for: identity)
        }
        return known
    }
}

// MARK: - What is stored

extension OrderedList {
    /// A walk along the order.
    func walk(_ bounds: Bounds, _ direction: Query.Order = .ascending) -> Query {
        Query(resource.collection, by: index, bounds, order: direction)
    }

    /// The stored rows after a value that the source still lists.
    func items(after value: Int64, limit: Int, in reading: borrowing Reading) throws -> [Item] {
        try reading.listedItems(
            walk(.between(.excluding(.integer(value)), nil)), of: resource, limit: limit)
    }

    /// The number of rows that a list may show after this value if it shows at most `maximum` in all.
    func room(after value: Int64, maximum: Int?, in reading: borrowing Reading) throws -> Int {
        guard let maximum else { return .max }
        guard value > 0 else { return maximum }
        var count = 0
        try reading.scan(walk(.between(.excluding(0), .including(.integer(value))))) { row in
            count += ItemState.isGone(row) ? 0 : 1
            return count < maximum ? .next : .stop
        }
        return maximum - count
    }

    /// The fetched page for a value: the nearest one that starts at or before it.
    func stretch(from value: Int64, in reading: borrowing Reading) throws -> StoredListStretch? {
        let range = Bounds.between(.including(.text(list)), .including([.text(list), .integer(value)]))
        return try reading.list(
            StoredListStretch.self,
            Query(StoredListStretch.collection, range, order: .descending, limit: 1)
        ).first
    }

    /// The value up to which fetched pages follow each other without a gap; stops looking at `end`.
    ///
    /// - Parameter visit: called with each of the pages.
    func reach(
        from start: Int64, to end: Int64, in reading: borrowing Reading,
        _ visit: (StoredListStretch) -> Void = { _ in }
    ) throws -> Int64 {
        var position = start
        while position < end, let page = try stretch(from: position, in: reading), page.end > position {
            visit(page)
            position = page.end
        }
        return position
    }

    /// Whether the source reported that nothing follows this value.
    func listEnds(at value: Int64, in reading: borrowing Reading) throws -> Bool {
        guard let page = try stretch(from: value, in: reading) else { return false }
        return page.next == nil && page.end <= value
    }

    func hasStart(in reading: borrowing Reading) throws -> Bool {
        try stretch(from: 0, in: reading) != nil
    }

    /// The gaps before stored rows with these values, in ascending order, of a list that begins after a value.
    func gaps(
        after start: Int64, before values: some Sequence<Int64>, in reading: borrowing Reading
    ) throws -> [ListGap] {
        var gaps: [ListGap] = []
        var reached = start
        for value in values {
            if reached < value { reached = try reach(from: reached, to: value, in: reading) }
            if reached < value {
                // Rows after the end of the list were stored since; no page is missing.
                if try listEnds(at: reached, in: reading) { break }
                // Continues after a row stored on its own, which belongs to no page. Nothing fits between adjacent
                // values.
                if value > reached + 1 { gaps.append(ListGap(after: reached, before: value)) }
                reached = value
            }
        }
        return gaps
    }
}
