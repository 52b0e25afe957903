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
            try await details.refresh(item.handle, known: item, isConditional: true).hasChanged
        } take: { hasChanged, progress in
            progress.rows += 1
            progress.changes.changed += hasChanged ? 1 : 0
        }
        place = last
        return .saved
    }
}

/// The rows of a list whose details were never fetched and not refused: in the order of their keys for a list of the
/// whole collection, otherwise in the list's order.
struct RowsWithoutDetail: Sendable {
    private let question: NamedQuestion
    private let gateway: Gateway

    init(_ question: NamedQuestion, of gateway: Gateway) {
        self.question = question
        self.gateway = gateway
    }

    /// The position of a row among them.
    enum Place: Sendable {
        case key(Key)
        case listed(ListPosition)
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
        if question.isWholeCollection {
            try scanCollection(after: place, in: reading, visit)
        } else {
            try scanPages(of: LinkedList(question, of: gateway), after: place, in: reading, visit)
        }
    }

    private func scanCollection(
        after place: Place?, in reading: borrowing Reading, _ visit: (Item, Place) throws -> Step
    ) throws {
        let resource = question.resource
        var query = Query(resource.collection)
        if case .key(let key) = place { query.after = key }
        try reading.scan(query) { row in
            guard ItemState.lacksDetail(row) else { return .next }
            return try visit(Item(row, of: resource), .key(resource.collection.key(of: row)))
        }
    }

    private func scanPages(
        of list: LinkedList, after place: Place?, in reading: borrowing Reading,
        _ visit: (Item, Place) throws -> Step
    ) throws {
        var start = ListPosition(0, place: -1)
        if case .listed(let position) = place { start = position }
        var number = start.number
        while let page = try list.page(at: number, in: reading) {
            for (place, key) in page.keys.enumerated() where ListPosition(number, place: place) > start {
                guard let item = try reading.listedItem(key, of: list.resource),
                    item.withRow({ ItemState.lacksDetail($0) })
                else { continue }
                if try visit(item, .listed(ListPosition(number, place: place))) == .stop { return }
            }
            number += 1
        }
    }
}
