import PatchbayCore
public import PatchbayDomain

/// The newest commits of a repository: what is stored, at once, then what the source says.
///
/// The repository is fetched first when nothing is known about it, or when the name is a former one.
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
        /// Whether there are more after these; false when these are fewer than wanted.
        public let goesOn: Bool
        /// Whether these are fewer than wanted because the rest was not fetched.
        public let isPartial: Bool
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
            let listed = try reading.listed(list, limit: limit) { sha, reading in
                try reading.get(StoredCommit.self, StoredCommit.key(sha, in: id))?.commit
            }
            guard let listed else { return .init() }
            let window = Window(
                repositoryID: id, commits: listed.items, goesOn: listed.goesOn, isPartial: listed.isPartial)
            return .init(value: window, fetchedAt: listed.fetchedAt)
        }
    }

    private func refresh(_ name: RepositoryName, _ limit: Int, isConditional: Bool) async throws -> Bool {
        guard let commits = source.commits else { throw source.lacks("commits") }
        let details = RepositoryDetails(store: store, feed: try source.requireRepositories(), now: now)
        let repository = try await details.present(name, isConditional: isConditional)
        let feed = LinkedFeed.commits(of: repository.id, called: name, commits, of: source.identity)
        return try await feed.refresh(rows: limit, isConditional: isConditional, in: store, now: now)
    }
}
