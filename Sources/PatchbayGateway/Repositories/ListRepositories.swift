import PatchbayCore
public import PatchbayDomain

/// The first repositories of a list, in the source's order: what is stored, at once, then what the source says.
public struct ListRepositories: Sendable {
    let store: Store
    let source: Source
    let now: @Sendable () -> Timestamp

    /// The start of a list.
    public struct Window: Sendable {
        public let repositories: [Repository]
        /// Whether the list has more.
        public let goesOn: Bool
    }

    /// - Parameter limit: how many repositories, 1 to 10,000 (`Limits.pageRows`); fewer come when some of them are
    ///   gone.
    public func callAsFunction(
        _ list: RepositoryList, limit: Int = 30, policy: Policy = .localFirst
    ) -> Answers<Window> {
        precondition((1...Limits.pageRows).contains(limit), "a window has 1 to \(Limits.pageRows) rows")
        return LocalFirst(policy: policy, now: now) {
            try await stored(list, limit)
        } refresh: { isConditional in
            let feed = list.feed(try source.requireRepositories(), of: source.identity)
            let hasChanged = try await feed.refresh(
                rows: limit, isConditional: isConditional, in: store, now: now)
            return (try await stored(list, limit), hasChanged)
        }.answers()
    }

    private func stored(_ list: RepositoryList, _ limit: Int) async throws -> LocalFirst<Window>.Stored {
        try await store.read { reading in
            guard let listed = try reading.listedKeys(of: list.name, limit: limit) else { return .init() }
            let repositories = try listed.keys.compactMap { try reading.listedRepository($0) }
            return .init(
                value: Window(repositories: repositories, goesOn: listed.goesOn),
                fetchedAt: listed.fetchedAt)
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
