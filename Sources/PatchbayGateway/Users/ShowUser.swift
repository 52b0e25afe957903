import PatchbayCore
public import PatchbayDomain

/// One user with its detail: what is stored, at once, then what the source says.
public struct ShowUser: Sendable {
    let store: Store
    let source: Source
    let now: @Sendable () -> Timestamp

    public func callAsFunction(_ login: String, policy: Policy = .localFirst) -> AsyncStream<Answer<StoredUser>> {
        LocalFirst(policy: policy, now: now) {
            try await stored(login).map(answer) ?? .init()
        } refresh: { isConditional in
            try await refresh(login, isConditional: isConditional)
        }.answers()
    }

    /// The user that has the login now; of two, the one that was heard of last.
    private func stored(_ login: String) async throws -> StoredUser? {
        let query = Query(StoredUser.collection, by: StoredUser.byLogin, .equal(.text(login)), limit: 10)
        return try await store.read { try $0.list(StoredUser.self, query) }
            .max { ($0.goneAt == nil ? 1 : 0, $0.fetchedAt) < ($1.goneAt == nil ? 1 : 0, $1.fetchedAt) }
    }

    private func answer(_ user: StoredUser) -> LocalFirst<StoredUser>.Stored {
        .init(value: user, fetchedAt: user.detailFetchedAt ?? user.fetchedAt)
    }

    private func refresh(
        _ login: String, isConditional: Bool
    ) async throws -> (LocalFirst<StoredUser>.Stored, hasChanged: Bool) {
        let known = try await stored(login)
        let validator = isConditional ? known?.detailValidator ?? Validator() : Validator()
        do {
            let fetched = try await source.requireUsers().user(login, ifChangedFrom: validator)
            return try await save(fetched, known?.user.id)
        } catch let error as PatchbayError where error.code == .notFound {
            if let known { try await store.write { [now] in try $0.markGone(known.user.id, at: now()) } }
            throw error
        }
    }

    private func save(
        _ fetched: Fetched<User>, _ knownID: Int64?
    ) async throws -> (LocalFirst<StoredUser>.Stored, hasChanged: Bool) {
        let time = now()
        switch fetched {
        case .unchanged:
            guard let knownID else {
                throw PatchbayError(.invalidResponse, "the source says \"unchanged\" about a user that it never told")
            }
            return (answer(try await store.write { try $0.confirm(knownID, at: time) }), false)
        case .changed(let user, let validator):
            return (answer(try await store.write { try $0.save(user, validator, at: time) }), true)
        }
    }
}

extension Writing {
    fileprivate mutating func confirm(_ id: Int64, at time: Timestamp) throws -> StoredUser {
        guard var user = try reading.get(StoredUser.self, .integer(id)) else {
            throw PatchbayError(.conflict, "user \(id) was removed while the source was being asked; ask again")
        }
        user.fetchedAt = time
        user.detailFetchedAt = time
        user.goneAt = nil
        try put(user)
        return user
    }

    fileprivate mutating func save(_ user: User, _ validator: Validator, at time: Timestamp) throws -> StoredUser {
        var stored = try reading.get(StoredUser.self, .integer(user.id)) ?? StoredUser(user: user, fetchedAt: time)
        stored.user = user.merged(into: stored.user)
        stored.fetchedAt = time
        stored.detailFetchedAt = time
        stored.detailValidator = validator
        stored.goneAt = nil
        try put(stored)
        return stored
    }

    fileprivate mutating func markGone(_ id: Int64, at time: Timestamp) throws {
        guard var user = try reading.get(StoredUser.self, .integer(id)), user.goneAt == nil else { return }
        user.goneAt = time
        try put(user)
    }
}
