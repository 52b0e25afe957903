import PatchbayCore
import PatchbayDomain

/// Removes all stored users, their pictures and former logins, the pages of their list and the cursor of its sync.
/// Favourites stay.
///
/// When nothing is left then that the source told, another API's source may fill the storage.
///
/// What is being fetched meanwhile is not saved: the fetch fails with `conflict`.
public struct ClearUsers: Sendable {
    let store: Store
    let now: @Sendable () -> Timestamp

    /// What was removed, and what waits.
    public struct Cleared: Sendable {
        public let users: Int
        /// How many edited names wait for their users to come back.
        public let keptEdits: Int
    }

    /// - Parameter keepingEdits: keeps the edited names; each applies again when its user is fetched again. Else the
    ///   names that an earlier clear has kept go, too.
    @discardableResult
    public func callAsFunction(keepingEdits: Bool = false) async throws -> Cleared {
        try await store.write { [now] writing in
            let users = try writing.reading.count(Query(StoredUser.collection))
            if keepingEdits {
                try writing.keepEdits()
            } else {
                try writing.deleteAll(StoredUserEdit.self)
            }
            try writing.deleteAll(StoredUser.self)
            try writing.deleteAll(StoredAvatar.self)
            try writing.deleteAll(StoredUserPage.self)
            try writing.deleteAliases(.user)
            try writing.delete(StoredListRun.self, .text(UserListFeed.name))
            try writing.noteClearing(at: now())
            try writing.releaseIfCleared()
            let kept = try writing.reading.count(Query(StoredUserEdit.collection))
            return Cleared(users: users, keptEdits: kept)
        }
    }
}

extension Writing {
    /// Copies the edits out of the rows of users, so many at a time.
    fileprivate mutating func keepEdits() throws {
        let batch = 1_000
        var after: Key?
        while true {
            let edits = try reading.edits(after: after, limit: batch)
            for edit in edits { try put(edit) }
            guard edits.count == batch, let last = edits.last else { return }
            after = .integer(last.id)
        }
    }

    fileprivate mutating func noteClearing(at time: Timestamp) throws {
        // Another number will do: behind the greatest, which a row that was imported may hold, comes the least.
        let count = try reading.clearings() &+ 1
        try put(StoredClearing(list: UserListFeed.name, count: count, clearedAt: time))
    }
}

extension Reading {
    fileprivate func edits(after: Key?, limit: Int) throws -> [StoredUserEdit] {
        var edits: [StoredUserEdit] = []
        let query = Query(StoredUser.collection, after: after, fields: StoredUserEdit.userFields)
        try scan(query) { row in
            if let edit = StoredUserEdit(ofUser: row) { edits.append(edit) }
            return edits.count < limit ? .next : .stop
        }
        return edits
    }
}
