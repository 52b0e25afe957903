import PatchbayCore
public import PatchbayDomain

/// The newest commits of a repository: what is stored, at once, then what the source says.
///
/// When nothing is known about the repository, it is fetched first.
public struct ListCommits: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    /// The start of the list.
    public struct Window: Sendable {
        public let repositoryID: Int64
        /// In the source's order, the newest first.
        public let commits: [Commit]
        /// Whether there are more.
        public let goesOn: Bool
    }

    /// - Parameter limit: how many commits, 1 to 10,000 (`Limits.pageRows`).
    public func callAsFunction(
        _ name: RepositoryName, limit: Int = 30, policy: Policy = .localFirst
    ) -> Answers<Window> {
        precondition((1...Limits.pageRows).contains(limit), "a window has 1 to \(Limits.pageRows) rows")
        return LocalFirst(store: store, policy: policy, now: now, served: served) {
            try await stored(name, limit)
        } refresh: { isConditional in
            let hasChanged = try await refresh(name, limit, isConditional: isConditional)
            return (try await stored(name, limit), hasChanged)
        }.answers()
    }

    func stored(_ name: RepositoryName, _ limit: Int) async throws -> LocalFirst<Window>.Stored {
        try await store.read { reading in
            guard let id = try reading.repository(name)?.repository.id else { return .init() }
            let list = LinkedFeed<RepositoryName, Commit>.commitList(of: id)
            guard let listed = try reading.listedKeys(of: list, limit: limit) else { return .init() }
            let commits = try listed.keys.compactMap {
                try reading.get(StoredCommit.self, StoredCommit.key($0, in: id))?.commit
            }
            return .init(
                value: Window(repositoryID: id, commits: commits, goesOn: listed.goesOn),
                fetchedAt: listed.fetchedAt)
        }
    }

    private func refresh(_ name: RepositoryName, _ limit: Int, isConditional: Bool) async throws -> Bool {
        guard let commits = source.commits else { throw source.lacks("commits") }
        let details = RepositoryDetails(store: store, feed: try source.requireRepositories(), now: now)
        var known = try await store.read { try $0.repository(name) }
        if known == nil {
            (known, _) = try await details.refresh(name, known: nil, isConditional: false)
        }
        guard let id = known?.repository.id else { return false }
        let feed = LinkedFeed.commits(of: id, called: name, commits, of: source.identity)
        return try await feed.refresh(rows: limit, isConditional: isConditional, in: store, now: now)
    }
}
