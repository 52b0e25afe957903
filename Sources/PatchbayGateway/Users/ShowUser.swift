import PatchbayCore
public import PatchbayDomain

/// One user with its detail: what is stored, at once, then what the source says.
public struct ShowUser: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    public func callAsFunction(_ login: String, policy: Policy = .localFirst) -> Answers<StoredUser> {
        LocalFirst(store: store, policy: policy, now: now, served: served) {
            try await store.read { try $0.user(named: login) }.map(answer) ?? .init()
        } refresh: { isConditional in
            try await refresh(login, isConditional: isConditional)
        }.answers()
    }

    private func answer(_ user: StoredUser) -> LocalFirst<StoredUser>.Stored {
        .init(value: user, fetchedAt: user.detailFetchedAt ?? user.fetchedAt)
    }

    private func refresh(
        _ login: String, isConditional: Bool
    ) async throws -> (LocalFirst<StoredUser>.Stored, hasChanged: Bool) {
        let details = UserDetails(store: store, feed: try source.requireUsers(), now: now)
        let known = try await store.read { try $0.user(named: login) }
        let (user, hasChanged) = try await details.refresh(login, known: known, isConditional: isConditional)
        return (answer(user), hasChanged)
    }
}

extension Reading {
    /// The user that has the login now, or had it before; of two that have it, the one that was heard of last.
    func user(named login: String) throws -> StoredUser? {
        let found = try list(
            StoredUser.self,
            Query(StoredUser.collection, by: StoredUser.byLogin, .equal(.text(login)), limit: 10)
        ).max { ($0.goneAt == nil ? 1 : 0, $0.fetchedAt) < ($1.goneAt == nil ? 1 : 0, $1.fetchedAt) }
        guard found == nil, let id = try alias(.user, login) else { return found }
        return try get(StoredUser.self, .integer(id))
    }
}
