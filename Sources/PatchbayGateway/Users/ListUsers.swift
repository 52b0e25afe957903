import PatchbayCore
public import PatchbayDomain

/// One window of the list of all users, in id order: what is stored, at once, then what the source says.
public struct ListUsers: Sendable {
    let store: Store
    let source: Source
    let now: @Sendable () -> Timestamp

    /// A stretch of the list.
    public struct Window: Sendable {
        public let users: [User]
        /// Where the next window starts; nil when nothing is known to follow.
        public let next: Int64?
    }

    /// - Parameters:
    ///   - id: the users with greater ids; 0 is the start of the list.
    ///   - limit: how many users, 1 to 10,000 (`Limits.pageRows`).
    public func callAsFunction(
        after id: Int64 = 0, limit: Int = 20, policy: Policy = .localFirst
    ) -> AsyncStream<Answer<Window>> {
        precondition((1...Limits.pageRows).contains(limit), "a window has 1 to \(Limits.pageRows) users")
        return LocalFirst(policy: policy, now: now) {
            try await stored(after: id, limit: limit)
        } refresh: { isConditional in
            let hasChanged = try await refresh(after: id, limit: limit, isConditional: isConditional)
            return (try await stored(after: id, limit: limit), hasChanged)
        }.answers()
    }

    private func stored(after id: Int64, limit: Int) async throws -> LocalFirst<Window>.Stored {
        try await store.read { reading in
            let found = try reading.listedUsers(after: id, limit: limit + 1)
            let users = found.prefix(limit)
            guard let last = users.last else { return .init() }
            let goesOn = try found.count > limit || reading.listGoesOn(after: last.user.id)
            let pages = try reading.pages(covering: id, to: last.user.id)
            let oldest = pages.map(\.fetchedAt).min() ?? users.map(\.fetchedAt).min()
            return .init(
                value: Window(users: users.map(\.user), next: goesOn ? last.user.id : nil), fetchedAt: oldest)
        }
    }

    /// Fetches the pages that the window lies in, each saved before the next is asked for.
    private func refresh(after id: Int64, limit: Int, isConditional: Bool) async throws -> Bool {
        let feed = try source.requireUsers()
        var hasChanged = false
        var position = id
        while true {
            try Task.checkCancellation()
            let from = position
            let place = try await store.read { try $0.place(of: from) }
            let validator = isConditional ? place.validator : Validator()
            let end: PageEnd
            switch try await feed.users(place.request, ifChangedFrom: validator) {
            case .unchanged:
                end = try await store.write { [now] in try $0.confirm(place, at: now()) }
            case .changed(let page, let validator):
                end = try await store.write { [now] in try $0.save(page, validator, place, at: now()) }
                hasChanged = true
            }
            position = end.id
            let isFull = try await store.read { try $0.listedUsers(after: id, limit: limit).count == limit }
            if isFull || end.isLast { return hasChanged }
        }
    }
}
