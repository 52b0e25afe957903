import PatchbayCore
import PatchbayDomain

/// Rows that were listed, some of them perhaps repeatedly.
///
/// Keeps hashes instead of keys, because a list may be long. A collision counts a row too few, or leaves one unmarked.
struct DistinctRows {
    private var hashes: Set<Int> = []
    /// How often a row came again.
    private(set) var repeatedCount = 0
    /// The first of the rows that came again.
    private(set) var repeated: [KeyText] = []

    /// The maximum number of rows in ``repeated``.
    private static let repeatedMax = 10_000

    var count: Int64 { Int64(hashes.count) }

    /// Whether rows come again by nature, such as the authors of commits, and not because a few of them moved.
    var isRepetitive: Bool { 4 * repeatedCount > hashes.count }

    mutating func add(_ keys: some Sequence<KeyText>) {
        for key in keys where !hashes.insert(key.hashValue).inserted {
            repeatedCount += 1
            if repeated.count < Self.repeatedMax { repeated.append(key) }
        }
    }

    func contains(_ key: KeyText) -> Bool { hashes.contains(key.hashValue) }
}

extension LinkedList {
    /// The rows on the stored pages, beginning with the first.
    func distinctRows(in reading: borrowing Reading) throws -> DistinctRows {
        var rows = DistinctRows(), last: Set<KeyText> = []
        try scan(from: 0, fields: .all, in: reading) { page in
            rows.add(page.keys.drop(while: last.contains))
            if includesLastRow { last = Set(page.keys) }
        }
        return rows
    }

    /// Whether a page begins with the last rows of the page before it (`NAME.next = last PARAM FIELD included`).
    private var includesLastRow: Bool {
        guard question.isList, case .last(_, _, isIncluded: true) = resource.declaration.paging else {
            return false
        }
        return true
    }

    /// The page without its shortfall if it is the last one and names itself as the next one only because its rows have
    /// the value that was requested: they are fewer than those of the page before, so no others have that value.
    func withoutTies(
        _ page: ItemPage, at position: Int64, of pages: String? = nil, in reading: borrowing Reading
    ) throws -> ItemPage {
        guard includesLastRow, page.next == nil, page.shortfall?.kind == .link else { return page }
        // Rows that the definition leaves out are not on the stored page.
        guard resource.declaration.condition == nil, position > 0,
            let before = try self.page(at: position - 1, of: pages, in: reading),
            page.items.count < before.keys.count
        else { return page }
        var settled = page
        settled.shortfall = nil
        return settled
    }

    /// How often a row came again, except at the border of two periods (`NAME.window`), where it belongs to both.
    func movedCount(of rows: DistinctRows, in reading: borrowing Reading) throws -> Int {
        guard let since = resource.declaration.since, let window = since.window, window > .zero,
            let start = since.start?.milliseconds, let field = sinceField
        else { return rows.repeatedCount }
        let length = Int64(window / .milliseconds(1))
        let unit = Int64(since.unit(in: resource.declaration.lists) / .milliseconds(1))
        let atBorder = try rows.repeated.count { key in
            let value = try reading.listedItem(key, of: resource)?[field]
            guard case .time(let time)? = value else { return false }
            let place = (time.milliseconds - start) % length
            return (0...unit).contains(place)
        }
        return rows.repeatedCount - atBorder
    }
}

extension StoredListRun {
    /// Records the total that the source reports with a page. A total that shrinks during a run shows that rows have
    /// moved.
    mutating func note(total new: Int64?) {
        guard let new else { return }
        if let total, new < total { unsettled = "the source reported a total of \(total), then of \(new)" }
        total = max(total ?? 0, new)
        leastTotal = min(leastTotal ?? new, new)
    }
}

extension ItemListFeed {
    /// The shortfall of a list that ended before the number of rows that its source counts; nil when it did not.
    func shortfall(of rows: Int64, outOf total: Int64?, areRepeated: Bool = false) -> Shortfall? {
        guard let total, rows < total else { return nil }
        let noun = resource.name.withHyphens
        return Shortfall(
            .end,
            "the source counts \(total) \(resource.plural), but the list ended after \(rows)"
                + (areRepeated ? " different ones; sync it again" : "; check \(noun).next in the definition")
                + ", or set \(noun).total = none if the number is not that of this list"
        ).located(in: resource.declaration)
    }
}
