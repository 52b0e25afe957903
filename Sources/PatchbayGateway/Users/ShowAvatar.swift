import PatchbayCore
public import PatchbayDomain

/// The picture of a user: what is stored, at once, then what the source says.
///
/// A picture whose address and validator still hold is not sent again. When nothing is known about the user, the user
/// is fetched first.
public struct ShowAvatar: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    public func callAsFunction(_ login: String, policy: Policy = .localFirst) -> Answers<StoredAvatar> {
        LocalFirst(store: store, policy: policy, now: now, served: served) {
            try await store.read { reading in
                guard let user = try reading.user(named: login) else { return .init() }
                let avatar = try reading.get(StoredAvatar.self, .integer(user.user.id))
                return .init(value: avatar, fetchedAt: avatar?.fetchedAt)
            }
        } refresh: { isConditional in
            let (avatar, hasChanged) = try await refresh(login, isConditional: isConditional)
            return (.init(value: avatar, fetchedAt: avatar.fetchedAt), hasChanged)
        }.answers()
    }

    private func refresh(
        _ login: String, isConditional: Bool
    ) async throws -> (StoredAvatar, hasChanged: Bool) {
        guard let avatars = source.avatars else { throw source.lacks("pictures of users") }
        let user = try await user(login)
        guard let url = user.avatarURL, !url.isEmpty else {
            throw PatchbayError(.notFound, "user \"\(login)\" has no picture")
        }
        let (stored, clearings) = try await store.read {
            (try $0.get(StoredAvatar.self, .integer(user.id)), try $0.clearings())
        }
        // A picture from another address says nothing about this one.
        let known = stored?.url == url ? stored : nil
        let validator = isConditional ? known?.validator ?? Validator() : Validator()
        let fetched = try await avatars.avatar(at: url, ifChangedFrom: validator)
        let (avatar, hasChanged) = try avatar(fetched, of: user, at: url, known)
        try await store.write { writing in
            try writing.requireNoClearing(since: clearings)
            try writing.put(avatar)
        }
        return (avatar, hasChanged)
    }

    private func user(_ login: String) async throws -> User {
        if let known = try await store.read({ try $0.user(named: login) }) { return known.user }
        let details = UserDetails(store: store, feed: try source.requireUsers(), now: now)
        return try await details.refresh(login, known: nil, isConditional: false).0.user
    }

    private func avatar(
        _ fetched: Fetched<Avatar>, of user: User, at url: String, _ known: StoredAvatar?
    ) throws -> (StoredAvatar, hasChanged: Bool) {
        switch fetched {
        case .unchanged:
            guard var known else {
                throw PatchbayError(
                    .invalidResponse, "the source says \"unchanged\" about a picture that it never told")
            }
            known.fetchedAt = now()
            return (known, false)
        case .changed(let avatar, let validator):
            try avatar.check(of: user.login)
            let stored = StoredAvatar(
                userID: user.id, url: url, avatar: avatar, validator: validator, fetchedAt: now())
            return (stored, true)
        }
    }
}

extension Avatar {
    /// - Throws: `invalidResponse` for what is no picture or has more bytes than are kept.
    fileprivate func check(of login: String) throws {
        guard mediaType.hasPrefix("image/"), !bytes.isEmpty else {
            throw PatchbayError(
                .invalidResponse,
                "the picture of \"\(login)\" is no picture but \(bytes.count) bytes of \"\(mediaType)\"")
        }
        guard bytes.count <= StoredAvatar.bytesMax else {
            throw PatchbayError(
                .invalidResponse,
                "the picture of \"\(login)\" has \(bytes.count) bytes; the limit is \(StoredAvatar.bytesMax)")
        }
    }
}
