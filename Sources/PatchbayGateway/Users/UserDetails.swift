import PatchbayCore
import PatchbayDomain

/// Fetches the details of users and saves them, or why there is none.
struct UserDetails: Sendable {
    let store: SourceStore
    let feed: any UserSource
    let now: @Sendable () -> Timestamp

    /// Asks for one user.
    ///
    /// - Parameter known: the user as it is stored; nil when it is not.
    /// - Throws: what the source throws, after it was noted whether the user is gone or refused.
    func refresh(
        _ login: String, known: StoredUser?, isConditional: Bool
    ) async throws -> (StoredUser, hasChanged: Bool) {
        let isPresentName = known?.user.isCalled(login) ?? false
        var validator = isConditional ? known?.detailValidator ?? Validator() : Validator()
        // Another account may have a former login by now, and may be older than the stored answer.
        if !isPresentName { validator.lastModified = nil }
        let clearings = try await store.read { try $0.clearings() }
        do {
            let fetched = try await feed.user(login, ifChangedFrom: validator)
            return try await save(fetched, asked: login, known, clearings)
        } catch let error as PatchbayError {
            if let known, isPresentName { try await note(error, about: known.user.id) }
            throw error
        }
    }

    private func save(
        _ fetched: Fetched<User>, asked login: String, _ known: StoredUser?, _ clearings: Int64
    ) async throws -> (StoredUser, hasChanged: Bool) {
        let time = now()
        switch fetched {
        case .unchanged:
            guard let knownID = known?.user.id else {
                throw PatchbayError(
                    .invalidResponse, "the source says \"unchanged\" about a user that it never told")
            }
            let user = try await store.write { writing in
                try writing.requireNoClearing(since: clearings)
                return try writing.confirm(knownID, at: time)
            }
            return (user, false)
        case .changed(let user, let validator):
            return try await store.write { writing in
                try writing.requireNoClearing(since: clearings)
                if let known { try writing.requireUser(known.user.id) }
                // Another account has the login now: the stored one was renamed or deleted.
                if let known, known.user.id != user.id, known.user.isCalled(login) {
                    try writing.markGone(known.user.id, at: time)
                }
                try writing.note(.user, asked: login, told: user.login, id: user.id, at: time)
                return (try writing.save(user, validator, at: time), true)
            }
        }
    }

    /// Notes what an error says about the user itself. A limit, lost credentials and a lost connection say
    /// nothing.
    private func note(_ error: PatchbayError, about id: Int64) async throws {
        guard let refusal = error.refusalOfRow else { return }
        let time = now()
        try await store.write { try $0.markRefused(id, StoredRefusal(refusal, since: time)) }
    }
}

extension User {
    /// Whether a login is the present one.
    func isCalled(_ login: String) -> Bool { self.login.isSameName(as: login) }
}

extension PatchbayError {
    /// What the error says about the row that was asked for; nil when it says nothing about it. A 404 says as little as
    /// that: lists go on showing the row while they hold it.
    var refusalOfRow: Refusal? { code == .notFound ? Refusal(.missing) : refusal }
}

extension Writing {
    /// The user that was known when the source was asked.
    ///
    /// - Throws: `conflict` when the users were cleared since.
    @discardableResult
    fileprivate func requireUser(_ id: Int64) throws -> StoredUser {
        guard let user = try reading.get(StoredUser.self, .integer(id)) else { throw PatchbayError.cleared }
        return user
    }

    fileprivate mutating func confirm(_ id: Int64, at time: Timestamp) throws -> StoredUser {
        var user = try requireUser(id)
        user.fetchedAt = time
        user.detailFetchedAt = time
        user.goneAt = nil
        user.refusal = nil
        try put(user)
        return user
    }

    fileprivate mutating func save(
        _ user: User, _ validator: Validator, at time: Timestamp
    ) throws -> StoredUser {
        var stored = try row(for: user, at: time)
        stored.user = user.merged(into: stored.user)
        stored.fetchedAt = time
        stored.detailFetchedAt = time
        stored.detailValidator = validator
        stored.goneAt = nil
        stored.refusal = nil
        try put(stored)
        return stored
    }

    /// A user that is gone is asked for unconditionally, should it come back.
    fileprivate mutating func markGone(_ id: Int64, at time: Timestamp) throws {
        guard var user = try reading.get(StoredUser.self, .integer(id)), user.goneAt == nil else { return }
        user.goneAt = time
        user.detailValidator = Validator()
        try put(user)
    }

    fileprivate mutating func markRefused(_ id: Int64, _ refusal: StoredRefusal) throws {
        guard var user = try reading.get(StoredUser.self, .integer(id)) else { return }
        user.refusal = refusal
        user.detailValidator = Validator()
        try put(user)
    }
}
