import PatchbayCore
import PatchbayDomain

/// Stored rows that begin with a text.
struct LocalMatches<Item: Sendable>: Sendable {
    var items: [Item] = []
    /// When the oldest of them was fetched.
    var fetchedAt: Timestamp?
}

extension LocalMatches<User> {
    init(_ users: [StoredUser]) {
        self.init(items: users.map(\.user), fetchedAt: users.map(\.fetchedAt).min())
    }
}

extension Reading {
    /// The stored users whose login or shown name begins with a text, each once: by login, then by name.
    ///
    /// Three walks along indexes at most, each of which ends when there are enough; no row is read that does not begin
    /// so, but for names longer than the index holds. Users that are gone are left out, as in lists.
    func users(beginningWith text: SearchText, limit: Int) throws -> [StoredUser] {
        let prefix = text.prefix
        let indexed = prefix.beginning(bytesMax: StoredUser.foldedNameBytesMax)
        var logins = [indexed]
        // The index of logins knows the two cases of A to Z only.
        if !text.text.utf8.elementsEqual(prefix.utf8) {
            logins.append(text.text.beginning(bytesMax: StoredUser.foldedNameBytesMax))
        }
        var matches = UserMatches(limit: limit)
        for login in logins {
            let query = Query(StoredUser.collection, by: StoredUser.byLogin, .prefix(.text(login)))
            try add(query, to: &matches) { $0.login.caseFolded.utf8.starts(with: prefix.utf8) }
        }
        let query = Query(StoredUser.collection, by: StoredUser.byFoldedName, .prefix(.text(indexed)))
        try add(query, to: &matches) { ($0.name ?? "").caseFolded.utf8.starts(with: prefix.utf8) }
        return matches.found
    }

    private func add(
        _ query: Query, to matches: inout UserMatches, where isMatch: (User) -> Bool
    ) throws {
        guard !matches.isFull else { return }
        try scan(query) { row in
            if StoredUser.isGone(row) { return .next }
            let stored = StoredUser(row)
            if isMatch(stored.user) { matches.take(stored) }
            return matches.isFull ? .stop : .next
        }
    }
}

/// Users that were found, each once.
private struct UserMatches {
    let limit: Int
    private(set) var found: [StoredUser] = []
    private var ids: Set<Int64> = []

    init(limit: Int) { self.limit = limit }

    var isFull: Bool { found.count >= limit }

    mutating func take(_ stored: StoredUser) {
        if ids.insert(stored.user.id).inserted { found.append(stored) }
    }
}
