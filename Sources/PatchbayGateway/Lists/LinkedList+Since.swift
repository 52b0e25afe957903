import PatchbayCore
import PatchbayDomain

/// Runs that request only rows newer than the newest stored row (`ResourceDeclaration.since`).
///
/// Such a run reports nothing about the other rows: it marks none as gone, and the stored pages stay. Its rows come
/// first in the list. The newest value takes effect when the run has finished, because a list may come in any order.
extension LinkedList {
    private var sinceField: ResourceField? {
        guard case .list(nil) = question.subject else { return nil }
        return resource.declaration.since.flatMap { resource.field(named: $0.field) }
    }

    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun {
        var run = StoredListRun(list: list, query: query, startedAt: time)
        guard sinceField != nil else { return run }
        run.since = finished?.newest
        run.newest = run.since
        return run
    }

    /// The question that a run asks.
    func question(of run: StoredListRun) -> ListQuestion {
        var question = question
        question.since = sinceField.flatMap { field in run.since.flatMap { ItemValue(mark: $0, field.type) } }
        return question
    }

    /// Saves a page of newer rows. Until the run has finished, its position is the number of rows that it has put at
    /// the start of the list.
    func saveNewer(
        _ fetched: Fetched<ItemPage>, moving run: inout StoredListRun, in writing: inout Writing,
        at time: Timestamp
    ) throws -> RowChanges {
        guard case .changed(let fresh, _) = fetched else { throw unchangedWithoutCondition }
        let saved = try saveIdentified(fresh, of: run, in: &writing, at: time)
        run.incomplete = run.incomplete ?? saved.shortfall?.stored
        var page =
            try page(at: 0, in: writing.reading)
            ?? StoredListPage(list: list, position: 0, link: nil, fetchedAt: time)
        let first = page.keys.prefix(Int(clamping: run.position))
        let brought = Set(first)
        let listed = saved.keys
        let keys = listed.filter { !brought.contains($0) }
        // The run counts every row, and its position only new ones, so a page of repeated rows came before this one.
        let isSecond = run.rows - run.position >= listed.count
        if fresh.next != nil, !listed.isEmpty, isSecond, first.suffix(listed.count).elementsEqual(listed) {
            throw repeatedPage
        }
        let new = Set(keys)
        page.keys = first + keys + page.keys.dropFirst(first.count).filter { !new.contains($0) }
        try writing.put(page)
        run.newest = newest(among: fresh.items, and: run.newest)
        run.rows += Int64(fresh.items.count)
        run.position = Int64(first.count + keys.count)
        run.next = fresh.next
        if run.next == nil { run.finishedAt = time }
        return saved.changes
    }

    /// The newest value among a page's rows and those before.
    func newest(
        among page: StoredListPage, and newest: String?, in reading: borrowing Reading
    ) throws -> String? {
        guard sinceField != nil else { return nil }
        return self.newest(
            among: try page.keys.compactMap { try reading.listedItem($0, of: resource) }, and: newest)
    }

    private func newest(among items: [Item], and newest: String?) -> String? {
        guard let field = sinceField else { return nil }
        let marks = items.compactMap { $0[field]?.mark } + (newest.map { [$0] } ?? [])
        return field.type == .text ? marks.max() : marks.compactMap { Int64($0) }.max().map(String.init)
    }
}

extension ItemValue {
    /// The value as stored in a run.
    fileprivate var mark: String {
        if case .time(let time) = self { String(time.milliseconds) } else { description }
    }

    /// The value to send. A time is sent one second earlier, so that it does not matter whether the source includes the
    /// time itself, or in which unit it counts.
    fileprivate init?(mark: String, _ type: ValueType) {
        guard type != .text else {
            self = .text(mark)
            return
        }
        guard let number = Int64(mark) else { return nil }
        self = type == .time ? .time(Timestamp(milliseconds: number - 1_000)) : .integer(number)
    }
}
