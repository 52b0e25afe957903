import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// Fetches everything that a search finds, as a sync that can be resumed. A search with more results than the
    /// source returns for one query is split recursively along the declared range (`NAME.search-split` in the
    /// definition).
    ///
    /// The rows are stored as the results of the search, so a search for the same text with the policy `localOnly`
    /// returns them, with ``SearchWindow/total``, ``SearchWindow/isIncomplete`` and, if a part could not be split,
    /// ``SearchWindow/cap``.
    ///
    /// - Throws: `invalidValue` for a text that cannot be searched; `unsupported` when the source has no search for the
    ///   resource.
    public func searchAll(
        _ resource: Resource, _ text: String, from start: SyncStart = .whereItStopped,
        maximumRequests: Int? = nil
    ) throws -> Sync {
        let text = try SearchRequest.searchText(text)
        guard let declaration = resource.declaration.search else {
            throw PatchbayError(.unsupported, "source \(source.name) cannot search \(resource.plural)")
        }
        let search = SplitSearch(
            pages: ItemSearch(gateway: self, resource: resource).list(text), text: text.text,
            declaration: declaration)
        let stage = ListStage(search, of: resource, from: start)
        return Sync([stage], of: self, maximumRequests: maximumRequests)
    }
}

/// A search whose parts are fetched one after another. Its cursor names the remaining parts.
struct SplitSearch: ListFeed {
    /// The list in which the results are stored.
    let pages: LinkedList
    let text: String
    let declaration: SearchDeclaration

    typealias Page = StoredListPage

    var gateway: Gateway { pages.gateway }
    var list: String { pages.list }
    var query: String { Self.query(pages) }
    var title: String { pages.title }
    var resource: Resource { pages.resource }

    private static func query(_ pages: LinkedList) -> String { pages.query + " in parts" }

    /// The number of results that the source did not return; nil for a search that was not fetched completely.
    static func missing(
        of search: StoredSearch, _ pages: LinkedList, in reading: borrowing Reading
    ) throws -> Int64? {
        guard let run = try reading.get(StoredListRun.self, .text(pages.list)), run.finishedAt != nil,
            run.query == query(pages)
        else { return nil }
        return try max(0, (search.total ?? 0) - pages.distinctRows(in: reading).count)
    }

    private func parts(of run: StoredListRun) -> SearchParts {
        run.next.flatMap(SearchParts.init) ?? SearchParts()
    }

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place {
        let parts = parts(of: run)
        let words = parts.ranges[0].flatMap { range in declaration.split?.words(for: range) }
        let question = ListQuestion(
            pages.resource, .search([text, words].compactMap { $0 }.joined(separator: " ")))
        return Place(
            request: ItemRequest(question, next: parts.link),
            before: try reading.before(pages.resource))
    }

    func name(of place: Place) -> String {
        "\(query) \(place.request.question.name) \(place.request.next ?? "")"
    }

    func save(
        _ fetched: Fetched<ItemPage>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges {
        guard case .changed(let page, _) = fetched else { throw unchangedWithoutCondition }
        try writing.requireNoClearing(of: pages.resource, since: place.before)
        var parts = parts(of: run), changes = RowChanges()
        // Some sources count no further than they return.
        let isCut = declaration.cap.map { page.total ?? 0 >= $0 } ?? false
        let halves = isCut && parts.link == nil ? halves(of: parts.ranges[0], at: run.startedAt) : nil
        let isFirst = run.pages == 1
        if isFirst { run.total = page.total }
        if page.isIncomplete {
            let shortfall =
                page.shortfall
                ?? Shortfall(.end, "the source ran out of time, so results may be missing; search again")
            run.incomplete = run.incomplete ?? shortfall.stored
        }
        try writing.note(page, in: list, isFirst: isFirst, at: time) {
            if isFirst { ($0.total, $0.cap) = (page.total, nil) }
            if isCut, halves == nil { $0.cap = declaration.cap }
        }
        if let halves {
            parts.ranges.replaceSubrange(..<1, with: halves)
        } else {
            try pages.requireProgress(page, at: run.position, in: writing.reading)
            changes = try writing.saveFound(
                page.items, of: pages.resource, at: time, from: pages.identity, since: place.before)
            parts.link = page.next
            if page.next == nil { parts.ranges.removeFirst() }
            try put(page, hasMore: !parts.ranges.isEmpty, moving: &run, in: &writing, at: time)
        }
        run.next = parts.description
        if parts.ranges.isEmpty {
            (run.next, run.finishedAt) = (nil, time)
            run.incomplete = try run.incomplete ?? shortfall(run, in: writing.reading)?.stored
        }
        return changes
    }

    /// The shortfall of a finished search that returned less than the source counts.
    private func shortfall(_ run: StoredListRun, in reading: borrowing Reading) throws -> Shortfall? {
        guard let total = run.total else { return nil }
        let count = try pages.distinctRows(in: reading).count
        guard total > count else { return nil }
        return Shortfall(
            .end, "the source counts \(total) results, but returned \(count) of them; narrow the search")
    }

    /// The halves of a part; nil when it cannot be split.
    private func halves(
        of range: ClosedRange<Int64>?, at time: Timestamp
    ) -> [ClosedRange<Int64>?]? {
        guard let whole = range ?? declaration.split?.range(at: time), whole.count > 1 else { return nil }
        let middle = whole.lowerBound + (whole.upperBound - whole.lowerBound) / 2
        return [whole.lowerBound...middle, middle + 1...whole.upperBound]
    }

    /// Adds a page to the results. Its links only join the stored pages, because the source has no such list.
    private func put(
        _ page: ItemPage, hasMore: Bool, moving run: inout StoredListRun, in writing: inout Writing,
        at time: Timestamp
    ) throws {
        func link(_ position: Int64) -> String? { position == 0 ? nil : "part \(position)" }
        var stored = StoredListPage(
            list: list, position: run.position, link: link(run.position), fetchedAt: time)
        stored.keys = page.items.map { KeyText($0.key) }
        stored.next = hasMore ? link(run.position + 1) : nil
        stored.incomplete = page.shortfall?.stored
        try writing.put(stored)
        run.rows += Int64(page.items.count)
        run.position += 1
        if !hasMore { try pages.deletePages(from: run.position, in: &writing) }
    }
}

/// The remaining parts of a search, with the link to the next page of the first one: `*`, or `0..9;10..20 LINK`.
struct SearchParts: Sendable, CustomStringConvertible {
    /// The ranges; nil for the whole search.
    var ranges: [ClosedRange<Int64>?] = [nil]
    var link: String?

    init() {}

    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        ranges = []
        for part in (words.first ?? "").split(separator: ";") {
            let ends = part.split(separator: ".", omittingEmptySubsequences: true).compactMap { Int64($0) }
            if part == "*" {
                ranges.append(nil)
            } else if ends.count == 2, ends[0] <= ends[1] {
                ranges.append(ends[0]...ends[1])
            } else {
                return nil
            }
        }
        guard !ranges.isEmpty else { return nil }
        link = words.count > 1 ? String(words[1]) : nil
    }

    var description: String {
        let parts = ranges.map { $0.map { "\($0.lowerBound)..\($0.upperBound)" } ?? "*" }
        return parts.joined(separator: ";") + (link.map { " " + $0 } ?? "")
    }
}
