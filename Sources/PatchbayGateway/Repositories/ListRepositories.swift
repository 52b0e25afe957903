import PatchbayCore
public import PatchbayDomain

/// A stretch of a list of repositories, in the source's order: what is stored, at once, then what the source says.
public struct ListRepositories: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    /// A stretch of a list.
    public struct Window: Sendable {
        public let repositories: [Repository]
        /// Whether the list has more after these; false when these are fewer than wanted.
        public let goesOn: Bool
        /// Whether these are fewer than wanted because the rest was not fetched.
        public let isPartial: Bool
    }

    /// Only the pages of the source that the stretch lies in are asked for, so a next batch costs nothing before
    /// somebody wants it.
    ///
    /// - Parameters:
    ///   - skipped: how many repositories of the list stand before the stretch.
    ///   - limit: how many repositories, at least 1; with the skipped ones 10,000 at most (`Limits.pageRows`). One that
    ///     is no longer listed counts nowhere.
    public func callAsFunction(
        _ list: RepositoryList, behind skipped: Int = 0, limit: Int = 30, policy: Policy = .localFirst
    ) -> Answers<Window> {
        let isInReach = skipped >= 0 && limit > 0 && skipped + limit <= Limits.pageRows
        precondition(isInReach, "a window ends within the first \(Limits.pageRows) rows")
        return LocalFirst(store: store, policy: policy, now: now, served: served) {
            try await stored(list, behind: skipped, limit)
        } refresh: { isConditional in
            let feed = list.feed(try source.requireRepositories(), of: source.identity)
            let hasChanged = try await feed.refresh(
                rows: limit, behind: skipped, isConditional: isConditional, in: store, now: now)
            return (try await stored(list, behind: skipped, limit), hasChanged)
        }.answers()
    }

    private func stored(
        _ list: RepositoryList, behind skipped: Int, _ limit: Int
    ) async throws -> LocalFirst<Window>.Stored {
        try await store.read { reading in
            let listed = try reading.listed(list.name, behind: skipped, limit: limit) {
                try $1.listedRepository($0)
            }
            guard let listed else { return .init() }
            let window = Window(
                repositories: listed.items, goesOn: listed.goesOn, isPartial: listed.isPartial)
            return .init(value: window, fetchedAt: listed.fetchedAt)
        }
    }
}

extension Reading {
    /// The repository of a list's key; nil when it is gone.
    func listedRepository(_ key: String) throws -> Repository? {
        guard let id = Int64(key) else { return nil }
        let stored = try get(StoredRepository.self, .integer(id))
        return stored?.goneAt == nil ? stored?.repository : nil
    }
}
