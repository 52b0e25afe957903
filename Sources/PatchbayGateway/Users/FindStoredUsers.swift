import PatchbayCore
public import PatchbayDomain

/// The stored users whose login or name begins with a text. The source is not asked.
///
/// Logins are found by their index, in their order. Names have none: behind the logins come the names of the first
/// ``namesMax`` stored users, in the order of their ids.
public struct FindStoredUsers: Sendable {
    let store: Store

    /// How many users' names are looked at.
    public static let namesMax = 100_000

    /// What was found.
    public struct Found: Sendable {
        public let users: [StoredUser]
        /// False when there may be more: the limit was reached, or not all names were looked at.
        public let isComplete: Bool
    }

    /// - Parameters:
    ///   - text: big and small letters are alike; empty finds nobody.
    ///   - limit: how many users, 1 to 10,000 (`Limits.pageRows`).
    /// - Throws: `invalidValue` for a text that no index holds: of more than 480 bytes, or with U+0000.
    public func callAsFunction(_ text: String, limit: Int = 200) async throws -> Found {
        precondition((1...Limits.pageRows).contains(limit), "1 to \(Limits.pageRows) users are found")
        guard !text.isEmpty else { return Found(users: [], isComplete: true) }
        return try await store.read { reading in
            var users = try reading.users(loginsBeginningWith: text, limit: limit + 1)
            let logins = Set(users.map(\.user.id))
            let named = try reading.ids(
                namesBeginningWith: text, except: logins, limit: limit + 1 - users.count)
            for id in named.ids {
                if let user = try reading.get(StoredUser.self, .integer(id)) { users.append(user) }
            }
            return Found(
                users: Array(users.prefix(limit)), isComplete: named.isComplete && users.count <= limit)
        }
    }
}

extension Reading {
    fileprivate func users(loginsBeginningWith text: String, limit: Int) throws -> [StoredUser] {
        var users: [StoredUser] = []
        try scan(Query(StoredUser.collection, by: StoredUser.byLogin, .prefix(.text(text)))) { row in
            if !StoredUser.isGone(row) { users.append(StoredUser(row)) }
            return users.count < limit ? .next : .stop
        }
        return users
    }

    fileprivate func ids(
        namesBeginningWith text: String, except known: Set<Int64>, limit: Int
    ) throws -> (ids: [Int64], isComplete: Bool) {
        var ids: [Int64] = []
        var rows = 0
        let wanted = text.lowercased()
        guard limit > 0 else { return ([], false) }
        try scan(Query(StoredUser.collection, fields: StoredUser.nameFields)) { row in
            rows += 1
            let (id, name) = StoredUser.shownName(row)
            if let name, name.lowercased().hasPrefix(wanted), !StoredUser.isGone(row), !known.contains(id) {
                ids.append(id)
            }
            return ids.count < limit && rows < FindStoredUsers.namesMax ? .next : .stop
        }
        return (ids, ids.count < limit && rows < FindStoredUsers.namesMax)
    }
}
