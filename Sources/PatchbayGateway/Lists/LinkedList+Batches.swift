import PatchbayCore
import PatchbayDomain

/// The stored rows of a linked list, batch after batch.
extension LinkedList {
    var start: ListPosition { ListPosition(0) }

    var mayRepeatRows: Bool { true }

    func room(maximum: Int, in reading: borrowing Reading) throws -> Int { maximum }

    func reason(in reading: borrowing Reading) throws -> String? {
        var reason: String?
        try scan(from: 0, in: reading) {
            reason = reason ?? $0.incomplete.map { Shortfall(stored: $0).reason }
        }
        return try reason
            ?? (hasStart(in: reading) && isConnected(in: reading) ? nil : ListSummary.restIsMissing)
    }

    func combine(
        _ places: Range<ListPosition>, into hasher: inout Hasher, in reading: borrowing Reading
    ) throws {
        guard try hasStart(in: reading) else { return try combineUnpaged(places, into: &hasher, in: reading) }
        let end = places.upperBound.number
        try scan(from: places.lowerBound.number, to: end + 1, fields: .all, in: reading) { page in
            for (place, key) in page.keys.enumerated()
            where places.contains(ListPosition(page.position, place: place)) {
                hasher.combine(key)
            }
        }
    }

    private func combineUnpaged(
        _ places: Range<ListPosition>, into hasher: inout Hasher, in reading: borrowing Reading
    ) throws {
        guard !places.isEmpty, let covered = try coveredRows(in: reading) else { return }
        var place = 0
        try reading.scan(covered) { row in
            if ItemState.isGone(row) { return .next }
            if place >= places.lowerBound.place { hasher.combine(KeyText(resource.collection.key(of: row))) }
            place += 1
            return place < places.upperBound.place ? .next : .stop
        }
    }

    func batch(
        from place: ListPosition, limit: Int, before run: StoredListRun?, except former: DistinctRows,
        in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored {
        if run == nil, place.number == 0, try !hasStart(in: reading) {
            var stored = try unpaged(after: place.place, limit: limit, in: reading)
            let count = stored.value?.items.count ?? 0
            stored.value?.end = ListPosition(0, place: place.place + count)
            return stored
        }
        let start = place, end = run.map { $0.finishedAt == nil ? $0.position : .max } ?? .max
        var place = place, listed: ListedRows?, seen: Set<KeyText> = []
        try visitPages(from: start.number, acrossGaps: run == nil, in: reading) { page, before in
            let isAfterGap = page.isAfterGap(before)
            guard page.position < end, run == nil || !isAfterGap else { return false }
            var rows = listed ?? ListedRows(fetchedAt: page.fetchedAt)
            if isAfterGap, start <= ListPosition(page.position) { rows.gapCount += 1 }
            rows.fetchedAt = min(rows.fetchedAt, page.fetchedAt)
            rows.notes.add(page, for: identity)
            let shown = try shown(page, after: before, in: reading).filter {
                let key = KeyText($0.item.key)
                return $0.position >= start && !former.contains(key) && seen.insert(key).inserted
            }
            let taken = shown.prefix(limit - rows.items.count)
            rows.items += taken.map(\.item)
            rows.isPartial = rows.items.count < limit && page.next != nil
            rows.hasMore =
                try taken.count < shown.count || rows.isPartial || canContinue(after: page, in: reading)
            listed = rows
            guard taken.count == shown.count else {
                place = shown[taken.count].position
                return false
            }
            place = ListPosition(page.position + 1)
            return rows.items.count < limit
        }
        guard let listed else { return .init() }
        var value = ItemList(listed.items, listed.hasMore ? .more : .endOfSource)
        value.hasMore = listed.hasMore && listed.items.count == limit
        value.isPartial = listed.isPartial && run == nil
        value.gapCount = listed.gapCount
        value.notes = listed.notes
        value.end = place
        return .init(value: value, fetchedAt: listed.fetchedAt)
    }
}
