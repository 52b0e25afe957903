import PatchbayCore
import PatchbayDomain

extension OrderedList {
    /// The value after which the stretch begins: that of the last skipped row. Nil when fewer rows are stored.
    private func start(of extent: ListExtent, in reading: borrowing Reading) throws -> Int64? {
        guard extent.skipped > 0 else { return question.after }
        let before = try items(after: question.after, limit: extent.skipped, in: reading)
        return before.count == extent.skipped ? before.last?.order : nil
    }

    func stored(
        _ extent: ListExtent, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        guard let start = try start(of: extent, in: reading) else { return .init() }
        let size = try size(of: extent, from: start, in: reading)
        guard size > 0 else { return .init(value: ItemList([], limit(of: extent))) }
        var items = try items(after: start, limit: size + 1, in: reading)
        let hasMore = items.count > size
        if hasMore { items.removeLast() }
        guard let last = items.last?.order else { return try end(after: start, in: reading) }
        var value = ItemList(items, .more), page: StoredListStretch?, oldest: Timestamp?
        let reach = try reach(from: start, to: last, in: reading) {
            page = $0
            value.notes.add($0, for: identity)
            oldest = min(oldest ?? $0.fetchedAt, $0.fetchedAt)
        }
        if reach < last {
            page = try stretch(from: last - 1, in: reading)
            oldest = items.compactMap(\.state.fetchedAt).min()
            value.gaps = try gaps(after: start, before: items.lazy.compactMap(\.order), in: reading)
            value.gapCount = value.gaps.count
        }
        try setRest(of: &value, extent, hasStored: hasMore, last: last, page, in: reading)
        value.isPartial = items.count < size && value.state == .more
        return .init(value: value, fetchedAt: oldest)
    }

    /// The number of rows that the stretch may contain.
    private func size(of extent: ListExtent, from start: Int64, in reading: borrowing Reading) throws -> Int {
        min(extent.limit, try room(after: start, maximum: extent.maximum, in: reading))
    }

    /// Determines how the list continues after its last item.
    ///
    /// - Parameter page: the page with that item.
    private func setRest(
        of value: inout ItemList, _ extent: ListExtent, hasStored: Bool, last: Int64,
        _ page: StoredListStretch?, in reading: borrowing Reading
    ) throws {
        let hasMore = hasStored || page?.next != nil
        // The last page may be empty, and then it follows the page with the last row.
        if !hasStored, page != nil, let end = try stretch(from: last, in: reading), end.next == nil {
            value.state = .endOfSource
            value.notes.add(end, for: identity)
        } else if try room(after: last, maximum: extent.maximum, in: reading) == 0 {
            value.state = limit(of: extent)
        } else {
            value.next = hasMore ? last : nil
            value.hasMore = hasMore
        }
    }

    /// An empty stretch if the list ends after the last stored row, otherwise nothing.
    private func end(
        after value: Int64, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        guard let page = try stretch(from: value, in: reading), page.next == nil else { return .init() }
        var value = ItemList([], .endOfSource)
        value.notes.add(page, for: identity)
        return .init(value: value, fetchedAt: page.fetchedAt)
    }

    private func limit(of extent: ListExtent) -> ListState {
        extent.maximum.map { .limitReached($0) } ?? .more
    }

    func refresh(_ extent: ListExtent, isConditional: Bool) async throws -> FetchedPages {
        var pages = FetchedPages()
        var entry = try await entry(of: extent)
        if entry == nil {
            let before = ListExtent(limit: extent.skipped, maximum: extent.maximum)
            pages = try await refresh(before, isConditional: isConditional)
            entry = try await self.entry(of: extent)
        }
        // Nothing is requested beyond the greatest number of rows.
        guard let (start, size) = entry, size > 0 else { return pages }
        var run = StoredListRun(list: list, query: query, startedAt: gateway.now())
        (run.position, run.isFromStart) = (start, start == 0)
        var walk = ListWalk(run), isFetched = false
        while !isFetched {
            try Task.checkCancellation()
            let page = try await fetchPage(of: &walk, isConditional: isConditional) { run, reading in
                try self.isFetched(extent, from: start, through: run, in: reading)
            }
            pages += page.0
            isFetched = page.1
        }
        return pages
    }

    /// The value after which the stretch begins, and the number of rows that it may contain; nil when the rows before
    /// it are not stored.
    private func entry(of extent: ListExtent) async throws -> (start: Int64, size: Int)? {
        if extent.skipped == 0, extent.maximum == nil { return (question.after, extent.limit) }
        return try await gateway.store.read { reading in
            guard let start = try start(of: extent, in: reading) else { return nil }
            return (start, try size(of: extent, from: start, in: reading))
        }
    }

    /// Whether the whole stretch has been fetched.
    private func isFetched(
        _ extent: ListExtent, from start: Int64, through run: StoredListRun, in reading: borrowing Reading
    ) throws -> Bool {
        if run.finishedAt != nil { return true }
        let size = try size(of: extent, from: start, in: reading)
        let items = try items(after: start, limit: size, in: reading)
        return items.count == size && items.allSatisfy { $0.order ?? .max <= run.position }
    }
}

// MARK: - Batches

extension OrderedList {
    var start: ListPosition { ListPosition(question.after) }

    var mayRepeatRows: Bool { false }

    func room(maximum: Int, in reading: borrowing Reading) throws -> Int {
        try room(after: question.after, maximum: maximum, in: reading)
    }

    func reason(in reading: borrowing Reading) throws -> String? {
        var reached = question.after, isEnd = false, reason: String?
        let all = Query(StoredListStretch.collection, .equal(.text(list)))
        try reading.scan(all) { row in
            let stretch = StoredListStretch(row)
            if stretch.after <= reached {
                reached = max(reached, stretch.end)
                isEnd = stretch.next == nil
                reason = reason ?? stretch.incomplete.map { Shortfall(stored: $0).reason }
            }
            return stretch.after <= reached ? .next : .stop
        }
        return reason ?? (isEnd ? nil : ListSummary.restIsMissing)
    }

    func combine(
        _ places: Range<ListPosition>, into hasher: inout Hasher, in reading: borrowing Reading
    ) throws {}

    func batch(
        from place: ListPosition, limit: Int, before run: StoredListRun?, except shown: DistinctRows,
        in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        var size = limit
        if let run {
            size = try items(after: place.number, limit: limit, in: reading)
                .count { $0.order ?? .max <= run.position }
        }
        guard size > 0 else { return .init() }
        let entered = OrderedList(question.entered(after: place.number), by: order, of: gateway)
        var stored = try entered.stored(ListExtent(limit: size), in: reading)
        let last = stored.value?.items.last?.order
        stored.value?.end = last.map { ListPosition($0) }
        return stored
    }
}

extension OrderedList {
    func later(
        _ place: WindowPlace<ListPosition>, limit: Int, maximum: Int?, acrossGaps: Bool,
        in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem> {
        let after = place.value
        let room = try room(after: after, maximum: maximum, in: reading)
        guard room > 0 else { return LaterItems(following: .limit(maximum ?? 0)) }
        let size = min(limit, room)
        let found = try items(after: after, limit: size + 1, in: reading)
        let items = try listed(acrossGaps ? found : known(found, after: after, in: reading))
        guard items.count <= size else {
            return LaterItems(
                items: items.dropLast(), following: size == room ? .limit(maximum ?? 0) : .stored)
        }
        if let maximum, items.count == room { return LaterItems(items: items, following: .limit(maximum)) }
        let reach = try reach(from: items.last?.position.number ?? after, to: .max, in: reading)
        return LaterItems(items: items, following: try listEnds(at: reach, in: reading) ? .end : .unfetched)
    }

    func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem] {
        let end = position.map { Bounds.Bound.excluding(.integer($0.number)) }
        let query = walk(.between(.excluding(0), end), .descending)
        return listed(try reading.listedItems(query, of: resource, limit: limit))
    }

    func gaps(among items: [ListedItem], in reading: borrowing Reading) throws -> [ListPosition] {
        guard let first = items.first?.position.number else { return [] }
        let values = items.dropFirst().lazy.map(\.position.number)
        return try gaps(after: first, before: values, in: reading).map { ListPosition($0.before) }
    }

    /// Interpolates between the least and the greatest stored value.
    func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition? {
        guard let first = try items(after: 0, limit: 1, in: reading).first?.order,
            let last = try earlier(than: nil, limit: 1, in: reading).first?.position
        else { return nil }
        // Double cannot represent the greatest values exactly; converting a number as great as `span` would overflow.
        let span = Double(last.number - first)
        return span * fraction < span ? ListPosition(first + Int64(span * fraction)) : last
    }

    func isWhole(in reading: borrowing Reading) throws -> Bool {
        var end: Int64 = 0
        for _ in 0..<100 {
            if try listEnds(at: end, in: reading) { return true }
            guard let page = try stretch(from: end, in: reading), page.end > end else { return false }
            end = page.end
        }
        return false
    }

    func extend(_ place: WindowPlace<ListPosition>, maximum: Int?) async throws {
        let value = place.value
        let reach = try await gateway.store.read { try self.reach(from: value, to: .max, in: $0) }
        let entered = OrderedList(question.entered(after: reach), by: order, of: gateway)
        _ = try await entered.refresh(ListExtent(limit: 1, maximum: maximum), isConditional: true)
    }

    private func listed(_ items: [Item]) -> [ListedItem] {
        items.compactMap { item in item.order.map { ListedItem(item, at: ListPosition($0)) } }
    }

    /// The stored rows after a value and before the first gap; all of them when the list ends before it.
    private func known(_ items: [Item], after value: Int64, in reading: borrowing Reading) throws -> [Item] {
        guard let last = items.last?.order else { return items }
        let reach = try reach(from: value, to: last, in: reading)
        if try reach >= last || listEnds(at: reach, in: reading) { return items }
        return items.filter { $0.order.map { $0 <= reach } ?? false }
    }
}

extension ListQuestion {
    /// The same list, entered after another value.
    func entered(after value: Int64) -> ListQuestion {
        var question = self
        question.after = value
        return question
    }
}

extension WindowPlace where Position == ListPosition {
    /// The value of an order before the place.
    fileprivate var value: Int64 {
        switch self {
        case .start: 0
        case .at(let position): max(1, position.number) - 1
        case .after(let position): position.number
        }
    }
}
