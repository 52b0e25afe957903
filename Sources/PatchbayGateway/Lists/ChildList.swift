import PatchbayCore
import PatchbayDomain

/// The lists that belong to the rows of another resource, such as the commits of each repository, and the rows whose
/// lists are due.
struct ChildList: Sendable {
    let resource: Resource
    let parent: Resource
    let gateway: Gateway
    let name: String?
    let arguments: [String]

    /// The round that fetches all these lists.
    var round: SyncRound {
        let name = Self.roundName(resource, name, arguments, of: parent)
        return SyncRound(
            gateway: gateway, name: name, query: "\(gateway.source.identity(of: resource)) \(name)")
    }

    static func roundName(
        _ resource: Resource, _ list: String?, _ arguments: [String], of parent: Resource
    ) -> String {
        let collection = resource.collection.name + (list.map { "." + $0 } ?? "")
        return (["every", collection, "of", parent.name] + arguments).joined(separator: " ")
    }

    /// The rows examined so far, in the order of their keys.
    struct Place: Sendable {
        /// The number of rows at the beginning that come last.
        fileprivate let postponed: Int64
        fileprivate var isAtPostponed = false
        fileprivate var key: Key?
        /// The number of rows up to the key.
        fileprivate(set) var position: Int64 = 0
        /// The number of rows examined.
        fileprivate(set) var passed: Int64 = 0
        fileprivate(set) var isEnd = false

        init(after postponed: Int64 = 0) { self.postponed = postponed }

        /// Moves to the next row.
        ///
        /// - Returns: whether it is to be examined; false also at the end.
        fileprivate mutating func move(to key: Key) -> Bool {
            isEnd = isAtPostponed && position == postponed
            guard !isEnd else { return false }
            self.key = key
            position += 1
            guard isAtPostponed || position > postponed else { return false }
            passed += 1
            return true
        }

        /// Moves to the beginning if rows there were postponed.
        fileprivate mutating func end() {
            isEnd = isAtPostponed || postponed == 0
            if !isEnd { (isAtPostponed, key, position) = (true, nil, 0) }
        }
    }

    /// The number of rows that are still listed.
    func parentCount() async throws -> Int64 {
        try await gateway.store.read { reading in
            var count: Int64 = 0
            try reading.scan(Query(parent.collection)) { row in
                count += ItemState.isGone(row) ? 0 : 1
                return .next
            }
            return count
        }
    }

    var hasNoParents: PatchbayError {
        PatchbayError(
            .notFound,
            "no \(parent.plural) are stored, so no \(resource.plural) can be fetched; "
                + "fetch \(parent.plural) first"
        )
    }

    func stage(of parent: Item, in round: StoredListRun) -> any SyncStage {
        gateway.feed(of: question(parent)).stage(from: round.start)
    }

    /// The next rows whose lists are due; moves the place past all examined rows.
    ///
    /// - Returns: the rows, the shortfalls of the lists that are not due, and whether the round has completed one.
    func due(
        _ place: inout Place, in round: StoredListRun, limit: Int
    ) async throws -> (items: [Item], shortfalls: [ListShortfall], isAnyDone: Bool) {
        let from = place, now = gateway.now()
        let (items, shortfalls, isAnyDone, next) = try await gateway.store.read { reading in
            var place = from, candidates: [Item] = []
            var query = Query(parent.collection)
            query.after = place.key
            var isCut = false
            try reading.scan(query) { row in
                guard !ItemState.isGone(row) else { return .next }
                if place.move(to: parent.collection.key(of: row)) { candidates.append(Item(row, of: parent)) }
                isCut = place.isEnd || candidates.count == limit
                return isCut ? .stop : .next
            }
            if !isCut { place.end() }
            var items: [Item] = [], shortfalls: [ListShortfall] = [], isAnyDone = false
            let confirmedAt = try parentsConfirmed(in: reading)
            for item in candidates {
                let feed = gateway.feed(of: question(item))
                let run = try reading.get(StoredListRun.self, .text(feed.list))
                let isLate =
                    try run.map { try isDue(item, confirmedAt, after: $0, in: round, reading) } ?? true
                guard let run, run.query == feed.query, !isLate else {
                    items.append(item)
                    continue
                }
                isAnyDone =
                    isAnyDone || run.finishedAt.map { round.start.includes($0, at: now) } ?? false
                if let reason = run.incomplete {
                    shortfalls.append(
                        ListShortfall(list: feed.title, shortfall: Shortfall(stored: reason)))
                }
            }
            return (items, shortfalls, isAnyDone, place)
        }
        place = next
        return (items, shortfalls, isAnyDone)
    }

    /// Marks the children of gone rows as gone, too, and deletes their lists; returns the number of children. If a
    /// listed row's list has the same address, it has these children as well, so they stay, unless a value that they
    /// took from the gone row is in their key.
    func removeRowsOfGone() async throws -> Int64 {
        var count: Int64 = 0, after: Key?
        repeat {
            let from = after
            let (gone, listed, last) = try await gateway.store.read { reading in
                var query = Query(parent.collection), gone: [Item] = [], left = Self.goneMax
                query.after = from
                var last: Key?
                try reading.scan(query) { row in
                    guard ItemState.isGone(row) else { return .next }
                    gone.append(Item(row, of: parent))
                    last = parent.collection.key(of: row)
                    left -= 1
                    return left > 0 ? .next : .stop
                }
                gone = try gone.filter {
                    try reading.get(StoredListRun.self, .text(LinkedList(question($0), of: gateway).list))
                        != nil
                }
                return (gone, try listedOrigins(among: gone, in: reading), left > 0 ? nil : last)
            }
            if !gone.isEmpty {
                count += try await gateway.store.write { writing in
                    try gone.reduce(0) { count, parent in
                        let keepsRows = listed.contains(origin(of: parent))
                        return try count + remove(listOf: parent, keepsRows: keepsRows, in: &writing)
                    }
                }
            }
            after = last
        } while after != nil
        return count
    }

    private static var goneMax: Int { 1_000 }

    /// What lists with the same rows have in common.
    private struct Origin: Hashable {
        /// The address, as far as it depends on the parent.
        let address: String
        let key: Key?
    }

    private func origin(of parent: Item) -> Origin {
        let address = resource.declaration.list(named: name)?.template.expanded { parameter in
            guard case .field(_, let field) = parameter else { return "" }
            return parent[field]?.description ?? ""
        }
        return Origin(address: address ?? "", key: LinkedList(question(parent), of: gateway).ownKey)
    }

    /// The origins of lists of gone rows that listed rows have, too.
    private func listedOrigins(among gone: [Item], in reading: borrowing Reading) throws -> Set<Origin> {
        // A row has the rows in its own field, whatever those of others have in theirs.
        if gone.isEmpty || resource.declaration.parentField != nil { return [] }
        let origins = Set(gone.map(origin))
        var listed: Set<Origin> = []
        try reading.scan(Query(parent.collection)) { row in
            if ItemState.isGone(row) { return .next }
            let origin = origin(of: Item(row, of: parent))
            if origins.contains(origin) { listed.insert(origin) }
            return .next
        }
        return listed
    }

    private func remove(listOf parent: Item, keepsRows: Bool, in writing: inout Writing) throws -> Int64 {
        let feed = LinkedList(question(parent), of: gateway)
        guard let rows = try feed.coveredRows(in: writing.reading) else { return 0 }
        let changes =
            keepsRows
            ? RowChanges() : try writing.markGone(rows, of: resource, at: gateway.now()) { _ in false }
        try writing.delete(StoredListRun.self, .text(feed.list))
        try feed.deletePages(from: 0, in: &writing)
        return changes.gone
    }

    /// The rest of the list of a row, of which some pages are stored and the next one was refused; empty if none are.
    func shortfalls(of parent: Item, after error: PatchbayError) async throws -> [ListShortfall] {
        let feed = gateway.feed(of: question(parent))
        let run = try await gateway.store.read { try $0.get(StoredListRun.self, .text(feed.list)) }
        guard let run, run.query == feed.query, run.finishedAt == nil, run.pages > 0 else { return [] }
        return [ListShortfall(list: feed.title, shortfall: Shortfall(.end, error.message))]
    }

    /// When the last whole list of the parents was begun, if the source has it; all that are listed were returned or
    /// confirmed since then.
    private func parentsConfirmed(in reading: borrowing Reading) throws -> Timestamp? {
        guard resource.declaration.changedAt != nil else { return nil }
        let feed = gateway.feed(of: ListQuestion(parent, .list(nil)))
        let run = try reading.get(StoredListRun.self, .text(feed.list))
        guard let run, run.query == feed.query, run.since == nil, run.finishedAt != nil,
            run.incomplete == nil, run.unsettled == nil
        else { return nil }
        return run.startedAt
    }

    /// - Parameter confirmedAt: when the row was returned or confirmed at the earliest, if that is known.
    private func isDue(
        _ item: Item, _ confirmedAt: Timestamp?, after run: StoredListRun, in round: StoredListRun,
        _ reading: borrowing Reading
    ) throws -> Bool {
        guard let finishedAt = run.finishedAt else { return true }
        // Rows in a field of the row are as old as the row. The clock may have been set back, or be another machine's.
        if resource.declaration.parentField != nil {
            if round.isWhole || item.state.fetchedAt.map({ $0 > finishedAt }) ?? false { return true }
            let page = try reading.get(StoredListPage.self, [.text(run.list), .integer(0)])
            return page?.changeNumber.map { item.changeNumber > $0 } ?? true
        }
        if round.start.includes(finishedAt, at: gateway.now()) { return false }
        return round.isWhole
            || !(gateway.isFresh(finishedAt, resource) || isUnchanged(item, confirmedAt, since: run))
    }

    /// Whether the row was fetched after its list and reports that the list has not changed since.
    ///
    /// Times of the source are compared with its own clock if it reports that; this machine's may differ by minutes. A
    /// date without a time may mean any time of its day.
    private func isUnchanged(
        _ item: Item, _ confirmedAt: Timestamp?, since run: StoredListRun
    ) -> Bool {
        guard let field = resource.declaration.changedAt, case .time(let changedAt) = item[field],
            let fetchedAt = [item.state.fetchedAt, item.state.missingSince == nil ? confirmedAt : nil]
                .compactMap({ $0 }).max(),
            let finishedAt = run.finishedAt
        else { return false }
        let difference: Duration = run.answeredAt == nil ? .seconds(300) : .seconds(30)
        let margin = changedAt.isMidnight ? .seconds(86_400) : difference
        return changedAt.advanced(by: margin) < run.answeredAt ?? finishedAt && fetchedAt > finishedAt
    }

    private func question(_ item: Item) -> ListQuestion {
        ListQuestion(resource, .list(name), arguments: arguments, parent: item)
    }
}
