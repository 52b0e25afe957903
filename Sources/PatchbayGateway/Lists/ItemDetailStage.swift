import PatchbayCore
import PatchbayDomain

/// Fetches the missing details of the rows of a list, a few at a time.
struct ItemDetailStage: SyncStage {
    private let details: ItemDetails
    private let rows: RowsWithoutDetail
    private let concurrency: Int
    /// The rows up to here were tried.
    private var place: RowsWithoutDetail.Place?
    private var skipped = SkippedRows()

    init(_ details: ItemDetails, _ rows: RowsWithoutDetail, concurrency: Int) {
        self.details = details
        self.rows = rows
        self.concurrency = concurrency
    }

    func plan() async throws -> SyncPlan {
        let count = try await details.store.read { [rows] reading in
            var count = 0
            try rows.scan(after: nil, in: reading) { _, _ in
                count += 1
                return .next
            }
            return count
        }
        var plan = SyncPlan()
        plan.requestsMin = count
        plan.requestsMax = count
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let limit = min(concurrency * 4, max(1, requestsLeft))
        let (items, last) = try await details.store.read { [rows, place] in
            try rows.some(after: place, limit: limit, in: $0)
        }
        guard !items.isEmpty else {
            if let failure = skipped.failure { throw failure }
            return .finished
        }
        guard requestsLeft > 0 else { return .limitReached }
        progress.list = "details of \(details.resource.plural)"
        (progress.next, progress.pageCount, progress.pages) = (nil, nil, 0)
        try await skipped.request(items, atMost: concurrency, &progress, report) {
            "\($0.resource.singular) \($0.handle)"
        } _: { [details] item in
            let (found, hasChanged) = try await details.refresh(
                item.handle, known: item, isConditional: true)
            guard found.key == item.key else {
                let resource = details.resource
                throw PatchbayError(
                    .notFound,
                    "the source returned the \(resource.singular) \(Quotation.quoted(found.keyText)), which has the "
                        + "same handle, in place of \(Quotation.quoted(item.keyText))")
            }
            return hasChanged
        } take: { hasChanged, progress in
            progress.rows += 1
            progress.changes.changed += hasChanged ? 1 : 0
        }
        place = last
        return .saved
    }
}

/// The rows of a list whose details were never fetched and not refused, then those whose details another account or
/// definition returned: in the order of their keys for a list of the whole collection, otherwise in the list's order.
struct RowsWithoutDetail: Sendable {
    private let question: NamedQuestion
    private let gateway: Gateway

    init(_ question: NamedQuestion, of gateway: Gateway) {
        self.question = question
        self.gateway = gateway
    }

    /// The position of a row among them.
    struct Place: Sendable {
        /// Whether it is one of those that have details.
        fileprivate var hasDetail: Bool
        fileprivate var key: Key?
        fileprivate var listed: ListPosition?
    }

    func some(
        after place: Place?, limit: Int, in reading: borrowing Reading
    ) throws -> (items: [Item], last: Place?) {
        var items: [Item] = [], last: Place?
        try scan(after: place, in: reading) { item, place in
            items.append(item)
            last = place
            return items.count < limit ? .next : .stop
        }
        return (items, last)
    }

    func scan(
        after place: Place?, in reading: borrowing Reading, _ visit: (Item, Place) throws -> Step
    ) throws {
        guard let question = try question.stored(in: reading) else { return }
        var step = Step.next
        for hasDetail in [false, true] where step == .next && (hasDetail || place?.hasDetail != true) {
            let start = place.flatMap { $0.hasDetail == hasDetail ? $0 : nil } ?? Place(hasDetail: hasDetail)
            func take(_ item: Item, _ place: Place) throws -> Step {
                step = try visit(item, place)
                return step
            }
            if question.isWholeCollection {
                try scanCollection(after: start, in: reading, take)
            } else {
                try scanPages(of: LinkedList(question, of: gateway), after: start, in: reading, take)
            }
        }
    }

    private func isWanted(_ row: borrowing RowView, hasDetail: Bool) -> Bool {
        hasDetail
            ? ItemState.hasDetail(row, notFrom: gateway.source.identity(of: question.resource))
            : ItemState.lacksDetail(row)
    }

    private func scanCollection(
        after place: Place, in reading: borrowing Reading, _ visit: (Item, Place) throws -> Step
    ) throws {
        let resource = question.resource
        var query = Query(resource.collection)
        query.after = place.key
        try reading.scan(query) { row in
            guard isWanted(row, hasDetail: place.hasDetail) else { return .next }
            let key = resource.collection.key(of: row)
            return try visit(Item(row, of: resource), Place(hasDetail: place.hasDetail, key: key))
        }
    }

    private func scanPages(
        of list: LinkedList, after place: Place, in reading: borrowing Reading,
        _ visit: (Item, Place) throws -> Step
    ) throws {
        let start = place.listed ?? ListPosition(0, place: -1)
        var number = start.number
        while let page = try list.page(at: number, in: reading) {
            for (index, key) in page.keys.enumerated() where ListPosition(number, place: index) > start {
                guard let item = try reading.listedItem(key, of: list.resource),
                    item.withRow({ isWanted($0, hasDetail: place.hasDetail) })
                else { continue }
                let listed = ListPosition(number, place: index)
                if try visit(item, Place(hasDetail: place.hasDetail, listed: listed)) == .stop { return }
            }
            number += 1
        }
    }
}
