package import PatchbayCore
package import PatchbayDomain

/// When the lists of a resource were last fetched to their ends.
package struct ListAges: Sendable {
    /// The number of lists that were; at most ``listsMax`` are looked at.
    package private(set) var finished = 0
    /// The number of lists of which rows may be missing: those that were begun and never fetched to their ends, and
    /// those whose source could not return all rows.
    package private(set) var partial = 0
    /// The names of some of them, such as `org rails`; empty for a list without a name or arguments.
    package private(set) var partialNames: [String] = []
    /// The time of the list that was fetched first, perhaps not to its end; nil when there is none.
    package private(set) var oldest: Timestamp?
    /// The time when a list was last fetched to its end; nil when none was.
    package private(set) var newest: Timestamp?

    static let listsMax = 10_000
    private static let namesMax = 3

    fileprivate mutating func add(_ run: StoredListRun) {
        guard let time = run.finishedAt else { return }
        finished += 1
        if run.incomplete != nil { addPartial(run) }
        oldest = min(oldest ?? time, time)
        newest = max(newest ?? time, time)
    }

    private mutating func addPartial(_ run: StoredListRun) {
        partial += 1
        guard partialNames.count < Self.namesMax else { return }
        partialNames.append(String(run.list.drop { $0 != "." && $0 != " " }.dropFirst()))
    }

    /// Adds a list whose run has not finished, with the pages that it and earlier runs have stored.
    fileprivate mutating func add(_ run: StoredListRun, _ pages: StoredPages?) {
        if let pages, pages.isEnd {
            finished += 1
            newest = max(newest ?? pages.fetchedAt, pages.fetchedAt)
        }
        if pages?.isEnd != true || pages?.lacksRows == true { addPartial(run) }
        guard let pages else { return }
        let time = min(run.startedAt, pages.fetchedAt)
        oldest = min(oldest ?? time, time)
    }
}

/// The stored pages of a list.
private struct StoredPages {
    /// Whether the last one is the end of the list, because an earlier run had finished.
    var isEnd: Bool
    /// The time of the last one.
    var fetchedAt: Timestamp
    /// Whether rows of one of them, or after it, may be missing.
    var lacksRows: Bool

    static func += (left: inout StoredPages?, page: StoredPages) {
        left = StoredPages(
            isEnd: page.isEnd, fetchedAt: page.fetchedAt,
            lacksRows: page.lacksRows || left?.lacksRows == true)
    }
}

extension Reading {
    /// Returns when the lists of a resource were last fetched to their ends.
    package func listAges(of resource: Resource) throws -> ListAges {
        let name = resource.collection.name
        var ages = ListAges(), unfinished: [StoredListRun] = []
        // The name of a list is that of its collection, followed by its view or its arguments. A longer name belongs to
        // another resource.
        for bounds in [Bounds.equal(.text(name)), .prefix(.text(name + " ")), .prefix(.text(name + "."))] {
            try scan(Query(StoredListRun.collection, bounds, limit: ListAges.listsMax)) { row in
                let run = StoredListRun(row)
                if run.finishedAt == nil { unfinished.append(run) }
                ages.add(run)
                return .next
            }
        }
        for run in unfinished { ages.add(run, try storedPages(of: run.list)) }
        return ages
    }

    private func storedPages(of list: String) throws -> StoredPages? {
        let name = Bounds.equal(.text(list))
        var pages: StoredPages?
        try scan(Query(StoredListStretch.collection, name)) { row in
            let page = StoredListStretch(row)
            pages += StoredPages(
                isEnd: page.next == nil, fetchedAt: page.fetchedAt, lacksRows: page.incomplete != nil)
            return .next
        }
        if pages != nil { return pages }
        try scan(Query(StoredListPage.collection, name, fields: StoredListPage.withoutKeys)) { row in
            let page = StoredListPage(row)
            pages += StoredPages(
                isEnd: page.next == nil, fetchedAt: page.fetchedAt, lacksRows: page.incomplete != nil)
            return .next
        }
        return pages
    }
}
