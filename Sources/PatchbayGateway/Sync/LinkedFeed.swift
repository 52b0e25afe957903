import PatchbayCore
import PatchbayDomain

/// A list whose pages are known only by the links between them: repositories of somebody, commits.
struct LinkedFeed<First: Hashable & Sendable, Item: Sendable>: ListFeed {
    let list: String
    let query: String
    let first: First
    let ask: @Sendable (PageRequest<First>, Validator) async throws -> Fetched<Page<Item>>
    /// The key of an item's row, as text without spaces.
    let key: @Sendable (Item) -> String
    let save: @Sendable (Item, inout Writing, Timestamp) throws -> Void
    /// Notes that the source still lists a row; nil for rows that never leave a list.
    var confirm: (@Sendable (_ key: String, inout Writing) throws -> Void)?
    /// Whether a row counts in a window over the list: not when it is missing or no longer listed.
    var isShown: @Sendable (_ key: String, borrowing Reading) throws -> Bool = { _, _ in true }
    /// What is done in the last transaction of a run, with the keys of all rows of the list; nil for lists that may be
    /// too long for that.
    var finish: (@Sendable (_ keys: Set<String>, inout Writing, Timestamp) throws -> Void)?

    /// How many pages a source may say that a list has.
    private static var pageCounts: ClosedRange<Int64> { 1...1_000_000_000 }

    /// The page at a position, as it was fetched last.
    struct Place: Sendable {
        var request: PageRequest<First>
        var stored: StoredListPage?
    }

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place {
        let stored = try reading.get(StoredListPage.self, [.text(list), .integer(run.position)])
        return Place(
            request: run.next.map { .next($0) } ?? .first(first),
            // Under another address the page is another one.
            stored: stored?.link == run.next ? stored : nil)
    }

    func fetch(_ place: Place) async throws -> Fetched<Page<Item>> {
        try await ask(place.request, place.stored?.usableValidator ?? Validator())
    }

    func save(
        _ fetched: Fetched<Page<Item>>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws {
        let page = try page(fetched, at: place, of: run, in: &writing, at: time)
        try writing.put(page)
        run.rows += Int64(page.keys.count)
        run.position += 1
        run.next = page.next
        run.pageCount = page.pageCount ?? run.pageCount
        if page.next == nil { try end(&run, in: &writing, at: time) }
    }

    private func page(
        _ fetched: Fetched<Page<Item>>, at place: Place, of run: StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> StoredListPage {
        var page = StoredListPage(list: list, position: run.position, link: run.next, fetchedAt: time)
        switch fetched {
        case .unchanged:
            guard let stored = place.stored else {
                throw PatchbayError(
                    .invalidResponse, "the source says \"unchanged\" about \(list) that it never told")
            }
            // An answer without a body may come without links, too.
            page = stored
            page.fetchedAt = time
            for key in page.keys { try confirm?(key, &writing) }
        case .changed(let fresh, let validator):
            for item in fresh.items { try save(item, &writing, time) }
            page.keys = fresh.items.map(key)
            page.next = fresh.next
            page.isFull = fresh.isFull
            // A number that no list has says nothing; it comes from outside, and is reckoned with.
            page.pageCount = fresh.pageCount.flatMap { Self.pageCounts.contains($0) ? $0 : nil }
            page.validator = validator
        }
        return page
    }

    /// Forgets the pages that the list had behind its end, and closes the run.
    private func end(_ run: inout StoredListRun, in writing: inout Writing, at time: Timestamp) throws {
        var leftovers: [Int64] = []
        try scan(from: run.position, in: writing.reading) { leftovers.append($0.position) }
        for position in leftovers {
            try writing.delete(StoredListPage.self, [.text(list), .integer(position)])
        }
        run.finishedAt = time
        guard let finish else { return }
        var keys: Set<String> = []
        try scan(from: 0, fields: .all, in: writing.reading) { keys.formUnion($0.keys) }
        try finish(keys, &writing, time)
    }

    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages {
        var known = KnownPages()
        try scan(from: run.position, in: reading) { page in
            known.count += 1
            known.conditional += page.usableValidator == Validator() ? 0 : 1
            known.hasEnd = page.next == nil
        }
        return known
    }

    /// Visits the stored pages from a position on.
    private func scan(
        from position: Int64, fields: FieldSet = StoredListPage.withoutKeys, in reading: borrowing Reading,
        _ visit: (StoredListPage) -> Void
    ) throws {
        let range = Bounds.between(.including([.text(list), .integer(position)]), .including(.text(list)))
        try reading.scan(Query(StoredListPage.collection, range, fields: fields)) { row in
            visit(StoredListPage(row))
            return .next
        }
    }
}

extension StoredListPage {
    /// What to ask with. Nothing for a full page at the end of the list: that it is unchanged would not prove
    /// that nothing has come behind it.
    fileprivate var usableValidator: Validator { next == nil && isFull ? Validator() : validator }
}
