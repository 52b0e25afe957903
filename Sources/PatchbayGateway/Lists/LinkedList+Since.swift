import PatchbayCore
import PatchbayDomain

/// Runs that request only rows newer than a mark (`ResourceDeclaration.since`).
///
/// Such a run reports nothing about the other rows: it marks none as gone, and the stored pages stay. Its rows come
/// first in the list. Its own pages are stored as those of another list, so that they can be requested conditionally
/// until the mark moves.
///
/// The mark is the newest value of the rows that is not later than the beginning of the run by the source's own clock,
/// less an overlap: a row that changes during a run may be on a page that was read before. It takes effect when the run
/// has finished, because a list may come in any order.
extension LinkedList {
    /// The number of consecutive runs of the whole list after which newer rows are requested in any case.
    static var openRunsMax: Int64 { 2 }

    var sinceField: ResourceField? {
        guard case .list(nil) = question.subject,
            // The places of newer rows begin at 0 again, so they would replace the first rows of the whole list.
            !resource.key.contains(where: { $0.declaration.origin == .place })
        else { return nil }
        return resource.declaration.since.flatMap { resource.field(named: $0.field) }
    }

    /// Whether rows of later pages may be on the first one as well, because a run put them there.
    var putsNewRowsFirst: Bool { sinceField != nil }

    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun {
        var run = StoredListRun(list: list, query: query, startedAt: time)
        run.unsettledRuns = finished?.unsettledRuns ?? 0
        run.countsNewerRows = finished?.countsNewerRows ?? false
        guard sinceField != nil else { return run }
        // Only a second run of the whole list shows whether the rows are gone that one lacked. A list may always move.
        run.openRuns = finished?.openRuns ?? 0
        if (1...Self.openRunsMax).contains(run.openRuns) { return run }
        if let finished, finished.finishedAt == nil || finished.keepsMark {
            (run.since, run.newest) = (finished.since, finished.since)
            return run
        }
        run.since = finished?.newest.map(overlapped)
        run.newest = finished?.newest
        return run
    }

    /// A mark less the overlap. A time in whole days may mean any moment of its day.
    private func overlapped(_ newest: String) -> String {
        guard let since = resource.declaration.since, sinceField?.type == .time, let number = Int64(newest)
        else { return newest }
        let unit: Duration =
            Timestamp(milliseconds: number).isMidnight
            ? .seconds(86_400) : since.unit(in: resource.declaration.lists)
        let overlap = max(since.overlap ?? .seconds(60), unit)
        return String(Timestamp(milliseconds: number).advanced(by: .zero - overlap).milliseconds)
    }

    /// The question that a run asks.
    func question(of run: StoredListRun) -> ListQuestion {
        var question = question
        question.since = sinceField.flatMap { field in run.since.flatMap { ItemValue(mark: $0, field.type) } }
        return question
    }

    /// Records when a run began by the source's clock. A page that is confirmed has the time of the answer that is
    /// confirmed, which is earlier and so as safe. A resumed run that requests its first page again keeps its
    /// beginning.
    func noteBeginning(_ fetched: Fetched<ItemPage>, at place: Place, in run: inout StoredListRun) {
        guard run.pages == 1, run.answeredAt == nil else { return }
        switch fetched {
        case .changed(let page, _): run.answeredAt = page.answeredAt
        case .unchanged: run.answeredAt = place.stored?.answeredAt
        }
    }
}

// MARK: - Pages

extension LinkedList {
    /// The pages of runs that request newer rows.
    private var newerList: String { ListName.newer(list) }

    /// The page of a run that requests newer rows; nil if it is not stored for the same mark.
    func newerPage(of run: StoredListRun, in reading: borrowing Reading) throws -> StoredListPage? {
        let stored = try reading.get(StoredListPage.self, [.text(newerList), .integer(run.pages)])
        return stored?.link == run.next ?? run.since ? stored : nil
    }

    /// The cursor of an interrupted run of newer rows before its last page. The rows of that page stay at the start of
    /// the list, where they come again.
    func lastPageOfNewer(
        _ run: StoredListRun, in reading: borrowing Reading
    ) throws -> StoredListRun? {
        guard run.pages > 0,
            let page = try reading.get(
                StoredListPage.self, [.text(newerList), .integer(run.pages - 1)]), page.next == run.next
        else { return nil }
        var last = run
        last.pages -= 1
        last.rows -= Int64(page.keys.count)
        last.next = page.link == run.since ? nil : page.link
        return last
    }

    /// Saves a page of newer rows. Until the run has finished, its position is the number of rows that it has put at
    /// the start of the list.
    func saveNewer(
        _ fetched: Fetched<ItemPage>, at place: Place, from link: String?, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges {
        if run.pages == 1, isAhead(run) {
            // The source's clock was ahead when the mark was made, so that nothing is known about the time since.
            var whole = StoredListRun(list: list, query: query, startedAt: run.startedAt)
            whole.formerIncomplete = run.formerIncomplete
            run = whole
            return RowChanges()
        }
        if case .changed(let fresh, _) = fetched {
            if try hasMoved(fresh.items, since: run, in: writing.reading) {
                run.unsettled = "a row changed its place while the list was read"
            }
            run.leastTotal = [run.leastTotal, fresh.total].compactMap(\.self).min()
            try requireProgress(fresh, at: run.pages - 1, of: newerList, in: writing.reading)
        }
        let new = StoredListPage(
            list: newerList, position: run.pages - 1, link: link ?? run.since, fetchedAt: time)
        var (newer, changes) = try answered(new, by: fetched, at: place, of: run, in: &writing, at: time)
        run.incomplete = run.incomplete ?? newer.incomplete
        if case .changed(let fresh, _) = fetched {
            changes.gone += try remove(
                leftOut: fresh.leftOut, beside: Set(newer.keys), in: &writing, at: time)
        }
        try writing.put(newer)
        try putFirst(newer, moving: &run, in: &writing, at: time)
        try note(newer, in: &run, &changes, writing.reading)
        run.rows += Int64(newer.keys.count)
        run.next = newer.next
        guard run.next == nil else { return changes }
        run.finishedAt = time
        run.incomplete = try run.incomplete ?? newerShortfall(of: &run, in: writing.reading)?.stored
        run.unsettled = run.unsettled ?? run.incomplete.map { Shortfall(stored: $0).reason }
        settle(&run)
        // The newer rows are on the first page, and the other ones are those of an earlier run.
        if var first = try page(at: 0, in: writing.reading),
            run.incomplete != nil || run.formerIncomplete == nil,
            first.incomplete != run.incomplete
        {
            first.incomplete = run.incomplete
            try writing.put(first)
        }
        run.incomplete = run.incomplete ?? run.formerIncomplete
        let isRepeated = run.newest.map(overlapped) == run.since
        try deletePages(of: newerList, from: isRepeated ? run.pages : 0, in: &writing)
        return changes
    }

    /// Puts the rows of a page after those that the run has put at the start of the list.
    private func putFirst(
        _ newer: StoredListPage, moving run: inout StoredListRun, in writing: inout Writing,
        at time: Timestamp
    ) throws {
        var page =
            try page(at: 0, in: writing.reading)
            ?? StoredListPage(list: list, position: 0, link: nil, fetchedAt: time)
        let first = page.keys.prefix(Int(clamping: run.position)), listed = newer.keys
        let firstKeys = Set(first)
        let keys = listed.filter { !firstKeys.contains($0) }
        let new = Set(keys)
        page.keys = first + keys + page.keys.dropFirst(first.count).filter { !new.contains($0) }
        try writing.put(page)
        run.position = Int64(first.count + keys.count)
    }
}

extension LinkedList {
    /// Why rows are missing that the last run of newer rows requested; the next run requests them again.
    func newerShortfall(in reading: borrowing Reading) throws -> Shortfall? {
        guard sinceField != nil, let run = try reading.get(StoredListRun.self, .text(list)),
            run.query == query, run.keepsMark
        else { return nil }
        return run.incomplete.map(Shortfall.init(stored:))
    }

    /// The shortfall of a finished run of newer rows. The source's number may be that of the newer rows, or of all rows
    /// of the list, so it counts once it was that of the newer rows.
    private func newerShortfall(
        of run: inout StoredListRun, in reading: borrowing Reading
    ) throws -> Shortfall? {
        // The periods of a window are counted each for itself. The position is the number of different rows.
        guard let total = run.leastTotal, resource.declaration.since?.window == nil else { return nil }
        if run.countsNewerRows { return shortfall(of: run.position, outOf: total) }
        let stored = try coveredRows(in: reading).map { Int64(try reading.count($0)) } ?? 0
        run.countsNewerRows = run.position == total && 2 * total < stored
        return nil
    }
}

/// What the answers to a request for newer rows show about other rows.
extension LinkedList {
    /// Marks stored rows as gone that have changed so that the definition leaves them out; returns their number.
    ///
    /// - Parameter kept: the rows of the same answer that are kept, because it may have several states of a row.
    func remove(
        leftOut items: [Item], beside kept: Set<KeyText>, in writing: inout Writing, at time: Timestamp
    ) throws -> Int64 {
        var count: Int64 = 0
        for item in items {
            guard let stored = try writing.reading.item(item.key, of: resource),
                !stored.withRow({ ItemState.isGone($0) }), isSameRow(item, stored),
                isLater(item, stored, orEqual: !kept.contains(KeyText(item.key)))
            else { continue }
            try writing.change(item.key, of: resource) { $0.markGone(at: time) }
            count += 1
        }
        return count
    }

    /// Whether a row comes again with a later time: it was at the end of a page that moved up, and others may have been
    /// on no page.
    func hasMoved(
        _ items: [Item], since run: StoredListRun, in reading: borrowing Reading
    ) throws -> Bool {
        guard run.position > 0, let first = try page(at: 0, in: reading) else { return false }
        let seen = Set(first.keys.prefix(Int(clamping: run.position)))
        return try items.contains { item in
            let key = KeyText(item.key)
            guard seen.contains(key), let stored = try reading.listedItem(key, of: resource) else {
                return false
            }
            return isLater(item, stored, orEqual: false)
        }
    }

    /// Keeps the mark of a run in which rows moved, or were missing, so that the next one asks for the same rows again.
    /// A list may always move or lack a row, so this ends after some runs.
    func settle(_ run: inout StoredListRun) {
        run.unsettledRuns = run.unsettled == nil ? 0 : run.unsettledRuns + 1
        if case .last = resource.declaration.paging, run.incomplete == nil { return }
        if (1...Self.openRunsMax).contains(run.unsettledRuns) { run.newest = run.since }
    }

    private func isLater(_ item: Item, _ stored: Item, orEqual: Bool) -> Bool {
        guard let field = sinceField, let new = item[field], let old = stored[field], new != old else {
            return orEqual
        }
        return stored.isEarlier(than: item)
    }

    /// Whether a row that is left out has at least half of the values of a stored one: a row of another kind, such as a
    /// comment among posts, may have the same key.
    private func isSameRow(_ item: Item, _ stored: Item) -> Bool {
        let fields = resource.fields.filter { field in
            if field == sinceField || resource.key.contains(field) || field.declaration.isDetail {
                return false
            }
            guard case .path(let path) = field.declaration.origin else { return false }
            return path != resource.declaration.condition?.path
        }
        let known = fields.filter { stored[$0] != nil }
        return 2 * known.count { item[$0] == stored[$0] } >= known.count
    }
}
