import PatchbayCore
public import PatchbayDomain

/// Fetches the commits of a repository, page by page, from where it was interrupted.
///
/// A commit never changes, so one that is stored is not written again. The repository is fetched first when nothing is
/// known about it, or when the name is a former one.
public struct SyncCommits: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp

    /// - Parameter maximumRequests: after how many requests it ends, at least 1; nil for no end but the list's.
    public func callAsFunction(
        _ name: RepositoryName, from start: SyncStart = .whereItStopped, maximumRequests: Int? = nil
    ) -> Sync {
        Sync([stage(name, from: start)], in: store, maximumRequests: maximumRequests, source: source)
    }

    private func stage(_ name: RepositoryName, from start: SyncStart) -> any SyncStage {
        guard let commits = source.commits, let repositories = source.repositories else {
            return FailedStage(error: source.lacks("commits"))
        }
        let details = RepositoryDetails(store: store, feed: repositories, now: now)
        return CommitStage(name: name, details: details) { [store, identity = source.identity, now] id in
            ListStage(
                .commits(of: id, called: name, commits, of: identity), in: store, from: start, now: now)
        }
    }
}

extension LinkedFeed where First == RepositoryName, Item == Commit {
    /// The name of the list of a repository's commits.
    static func commitList(of repositoryID: Int64) -> String { "commits of repository \(repositoryID)" }

    /// The commits of a repository, page by page.
    static func commits(
        of repositoryID: Int64, called name: RepositoryName, _ source: any CommitSource, of identity: String
    ) -> LinkedFeed {
        let list = commitList(of: repositoryID)
        return LinkedFeed(
            list: list, query: "\(identity) \(list)", first: name,
            ask: { try await source.commits($0, ifChangedFrom: $1) },
            key: { $0.sha },
            save: { try $1.save($0, of: repositoryID, at: $2) })
    }
}

/// Finds out which repository a name means, then fetches its commits.
private struct CommitStage: SyncStage {
    let name: RepositoryName
    let details: RepositoryDetails
    let commits: @Sendable (_ repositoryID: Int64) -> ListStage<LinkedFeed<RepositoryName, Commit>>
    private var stage: ListStage<LinkedFeed<RepositoryName, Commit>>?

    init(
        name: RepositoryName, details: RepositoryDetails,
        commits: @escaping @Sendable (Int64) -> ListStage<LinkedFeed<RepositoryName, Commit>>
    ) {
        self.name = name
        self.details = details
        self.commits = commits
    }

    func plan() async throws -> SyncPlan {
        if let id = try await presentID() { return try await commits(id).plan() }
        var plan = SyncPlan()
        plan.requestsMin = 2
        plan.requestsMax = nil
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        if let step = try await stage?.step(&progress, requestsLeft: requestsLeft, report: report) {
            return step
        }
        if let id = try await presentID() {
            stage = commits(id)
            return try await step(&progress, requestsLeft: requestsLeft, report: report)
        }
        guard requestsLeft > 0 else { return .limitReached }
        progress.list = "repository"
        progress.requests += 1
        let repository = try await details.present(name, isConditional: true)
        progress.rows += 1
        stage = commits(repository.id)
        return .saved
    }

    /// The stored repository that has the name now.
    private func presentID() async throws -> Int64? {
        let stored = try await details.store.read { [name] in try $0.repository(name) }
        return stored.flatMap { $0.repository.isCalled(name) ? $0.repository.id : nil }
    }
}

extension Writing {
    fileprivate mutating func save(_ commit: Commit, of repositoryID: Int64, at time: Timestamp) throws {
        let key = StoredCommit.key(commit.sha, in: repositoryID)
        guard try reading.get(StoredCommit.self, key) == nil else { return }
        try put(StoredCommit(repositoryID: repositoryID, commit: commit, fetchedAt: time))
    }
}
