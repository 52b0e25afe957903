import PatchbayCore
public import PatchbayDomain

/// The first users that a query finds: what it found last, at once, then what the source finds.
public struct SearchUsers: Sendable {
    let store: Store
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - query: 1 to 400 bytes in the source's language; white space around it does not count.
    ///   - limit: how many users, 1 to 10,000 (`Limits.pageRows`).
    public func callAsFunction(
        _ query: String, limit: Int = 30, policy: Policy = .localFirst
    ) -> Answers<SearchWindow<User>> {
        SearchList(
            store: store, now: now, noun: "users", query: query, limit: limit,
            ask: { [source] in
                guard let search = source.userSearch else { throw source.lacks("users by a search") }
                return try await search.searchUsers($0, ifChangedFrom: $1)
            },
            key: { String($0.id) },
            save: { try $1.save($0, at: $2) },
            item: { key, reading in
                guard let id = Int64(key) else { return nil }
                let stored = try reading.get(StoredUser.self, .integer(id))
                return stored?.goneAt == nil ? stored?.user : nil
            }
        ).answers(policy)
    }
}

/// The first repositories that a query finds: what it found last, at once, then what the source finds.
public struct SearchRepositories: Sendable {
    let store: Store
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Parameters: as of ``SearchUsers``.
    public func callAsFunction(
        _ query: String, limit: Int = 30, policy: Policy = .localFirst
    ) -> Answers<SearchWindow<Repository>> {
        SearchList(
            store: store, now: now, noun: "repositories", query: query, limit: limit,
            ask: { [source] in
                guard let search = source.repositorySearch else {
                    throw source.lacks("repositories by a search")
                }
                return try await search.searchRepositories($0, ifChangedFrom: $1)
            },
            key: { String($0.id) },
            save: { try $1.save($0, at: $2) },
            item: { key, reading in try reading.listedRepository(key) }
        ).answers(policy)
    }
}
