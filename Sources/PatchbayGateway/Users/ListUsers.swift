import PatchbayCore
public import PatchbayDomain

/// One window of the list of all users, in id order: what is stored, at once, then what the source says.
public struct ListUsers: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    /// A stretch of the list.
    public struct Window: Sendable {
        public let users: [User]
        /// Where the next window starts; nil when nothing is known to follow.
        public let next: Int64?
        /// How the list goes on as far as is stored; `Answer.state` says it for the whole answer.
        public let state: ListState
        /// Where stretches of the list that were never fetched lie before or between these users, in their order.
        /// ``UserGap/after`` is where a list asks the source for one.
        public internal(set) var gaps: [UserGap] = []
    }

    /// - Parameters:
    ///   - id: the users with greater ids; 0 is the start of the list.
    ///   - limit: how many users, 1 to 10,000 (`Limits.pageRows`).
    ///   - maximum: how many users the list has at most from its start on, 1 to 10,000; nil for no end but the
    ///     source's. Users that are stored before the window count. Behind the last one nothing is asked.
    public func callAsFunction(
        after id: Int64 = 0, limit: Int = 20, maximum: Int? = nil, policy: Policy = .localFirst
    ) -> Answers<Window> {
        let sizes = 1...Limits.pageRows
        precondition(sizes.contains(limit), "a window has 1 to \(Limits.pageRows) users")
        precondition(sizes.contains(maximum ?? 1), "a list has at most 1 to \(Limits.pageRows) users")
        let stretch = Stretch(after: id, limit: limit, maximum: maximum)
        return LocalFirst(store: store, policy: policy, now: now, served: served) {
            try await store.read { try $0.stored(stretch) }
        } refresh: { isConditional in
            let hasChanged = try await refresh(stretch, isConditional: isConditional)
            return (try await store.read { try $0.stored(stretch) }, hasChanged)
        }.answers()
    }

    /// Fetches the pages that the window lies in, each saved before the next is asked for.
    func refresh(_ stretch: Stretch, isConditional: Bool) async throws -> Bool {
        let feed = try source.requireUsers()
        var hasChanged = false
        var position = stretch.after
        // Behind the greatest number of users nothing is asked.
        guard try await store.read({ try $0.size(of: stretch) > 0 }) else { return false }
        while true {
            try Task.checkCancellation()
            let from = position
            let place = try await store.read { try $0.place(of: from) }
            let validator = isConditional ? place.validator : Validator()
            let end: PageEnd
            switch try await feed.users(at: place, ifChangedFrom: validator) {
            case .unchanged:
                end = try await store.write { [now] in try $0.confirm(place, at: now()) }
            case .changed(let page, let validator):
                end = try await store.write { [now] in try $0.save(page, validator, place, at: now()) }
                hasChanged = true
            }
            position = end.id
            if try await store.read({ try $0.isFull(stretch, through: end.id) }) || end.isLast {
                return hasChanged
            }
        }
    }
}
