public import PatchbayCore
public import PatchbayDomain

/// The list of all users in id order, for a ``Window``: those that the source still tells about.
public struct UserList: WindowList {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    /// How many users the list has at most from its start on.
    let maximum: Int?
    public let asksSource: Bool

    public var collections: Set<String> { [StoredUser.collection.name, StoredUserPage.collection.name] }

    public func position(of item: StoredUser) -> Int64 { item.user.id }

    public func later(
        _ place: WindowPlace<Int64>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<StoredUser> {
        let after = place.id
        let room = try reading.room(after: after, maximum: maximum)
        guard room > 0 else { return LaterItems(behind: .limit(maximum ?? 0)) }
        let size = min(limit, room)
        let found = try reading.listedUsers(after: after, limit: size + 1)
        let items = try acrossGaps || !asksSource ? found : reading.known(found, after: after)
        guard items.count <= size else {
            return LaterItems(items: items.dropLast(), behind: size == room ? .limit(maximum ?? 0) : .stored)
        }
        if let maximum, items.count == room { return LaterItems(items: items, behind: .limit(maximum)) }
        let reach = try reading.reach(from: items.last?.user.id ?? after, to: .max)
        return LaterItems(items: items, behind: try reading.listEnds(at: reach) ? .end : .unfetched)
    }

    public func earlier(
        than position: Int64?, limit: Int, in reading: borrowing Reading
    ) throws -> [StoredUser] {
        var users: [StoredUser] = []
        let after = position.map { Key.integer($0) }
        guard limit > 0 else { return users }
        try reading.scan(Query(StoredUser.collection, after: after, order: .descending)) { row in
            if !StoredUser.isGone(row) { users.append(StoredUser(row)) }
            return users.count < limit ? .next : .stop
        }
        return users
    }

    public func gaps(among items: [StoredUser], in reading: borrowing Reading) throws -> [Int64] {
        guard let first = items.first?.user.id else { return [] }
        return try reading.gaps(after: first, before: items.dropFirst().lazy.map(\.user.id)).map(\.before)
    }

    /// Between the least and the greatest id that are stored.
    public func position(at fraction: Double, in reading: borrowing Reading) throws -> Int64? {
        guard let first = try reading.listedUsers(after: 0, limit: 1).first?.user.id,
            let last = try earlier(than: nil, limit: 1, in: reading).first?.user.id
        else { return nil }
        // The greatest ids have no exact place among the fractions; a number as great as theirs would overflow.
        let span = Double(last - first)
        return span * fraction < span ? first + Int64(span * fraction) : last
    }

    /// A list of more than 100 pages counts as one that goes on.
    public func isWhole(in reading: borrowing Reading) throws -> Bool {
        guard asksSource else { return true }
        var end: Int64 = 0
        for _ in 0..<100 {
            if try reading.listEnds(at: end) { return true }
            guard let page = try reading.page(from: end), page.end > end else { return false }
            end = page.end
        }
        return false
    }

    /// One request, or more when all users of a page are gone.
    public func fetch(_ place: WindowPlace<Int64>) async throws {
        try await store.check()
        let reach = try await store.read { try $0.reach(from: place.id, to: .max) }
        // Only saves: the window shows what is stored, and gives no answers.
        let listing = ListUsers(store: store, source: source, now: now, served: { _, _ in })
        _ = try await listing.refresh(
            ListUsers.Stretch(after: reach, limit: 1, maximum: maximum), isConditional: true)
    }
}

extension Reading {
    /// Of stored users behind a position those before the first gap; all, when the list ends before it.
    fileprivate func known(_ users: [StoredUser], after id: Int64) throws -> [StoredUser] {
        guard let last = users.last?.user.id else { return users }
        let reach = try reach(from: id, to: last)
        if try reach >= last || listEnds(at: reach) { return users }
        return users.filter { $0.user.id <= reach }
    }
}

extension WindowPlace where Position == Int64 {
    /// The id before the place.
    fileprivate var id: Int64 {
        switch self {
        case .start: 0
        case .at(let id): max(1, id) - 1
        case .behind(let id): id
        }
    }
}
