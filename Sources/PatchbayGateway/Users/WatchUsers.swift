public import PatchbayCore
import PatchbayDomain

/// The changes of a stretch of the stored list of users, as they are committed by this process or another.
///
///     for try await changes in gateway.watchUsers(limit: 100) { ... }
///
/// Nothing is asked of the source.
public struct WatchUsers: Sendable {
    let store: Store

    /// - Parameters:
    ///   - id: the users with greater ids.
    ///   - limit: how many users are watched, 1 to 10,000 (`Limits.pageRows`); so many are kept in memory.
    public func callAsFunction(after id: Int64 = 0, limit: Int = Limits.pageRows) -> UserChanges {
        precondition((1...Limits.pageRows).contains(limit), "1 to \(Limits.pageRows) users are watched")
        return UserChanges(store: store, after: id, limit: limit)
    }
}

/// Sets of changes, each from one state of the storage to a later one.
///
/// The first set tells the users that are there as inserted, and is empty when there are none; no later set is empty.
/// Who applies them all has the list at any time. Only committed states are compared. A slow observer gets fewer
/// sets, each with all that has changed since the one before: nothing waits in memory but the last state.
///
/// It ends when the store is closed or the observing task is cancelled, and throws when the storage cannot be read.
public struct UserChanges: AsyncSequence, Sendable {
    let store: Store
    let after: Int64
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(changes: self) }

    /// Watches from the first call of ``next()`` on.
    public struct Iterator: AsyncIteratorProtocol {
        private let changes: UserChanges
        private var notices: AsyncStream<Set<String>>.Iterator?
        private var known: [User] = []

        fileprivate init(changes: UserChanges) { self.changes = changes }

        public mutating func next() async throws -> [UserChange]? {
            guard var notices else {
                // Listening begins before the first look, so nothing falls between.
                notices = changes.store.changes.stream().makeAsyncIterator()
                return try await look()
            }
            while let collections = await notices.next(isolation: #isolation) {
                guard collections.contains(StoredUser.collection.name) else { continue }
                let found = try await look()
                if !found.isEmpty { return found }
            }
            return nil
        }

        private mutating func look() async throws -> [UserChange] {
            let (after, limit) = (changes.after, changes.limit)
            let users = try await changes.store.read {
                try $0.listedUsers(after: after, limit: limit).map(\.user)
            }
            defer { known = users }
            return UserChange.between(known, and: users)
        }
    }
}
