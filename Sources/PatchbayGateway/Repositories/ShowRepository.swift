import PatchbayCore
public import PatchbayDomain

/// One repository with its detail: what is stored, at once, then what the source says.
public struct ShowRepository: Sendable {
    let store: SourceStore
    let source: Source
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    public func callAsFunction(
        _ name: RepositoryName, policy: Policy = .localFirst
    ) -> Answers<StoredRepository> {
        LocalFirst(store: store, policy: policy, now: now, served: served) {
            try await store.read { try $0.repository(name) }.map(answer) ?? .init()
        } refresh: { isConditional in
            let details = RepositoryDetails(store: store, feed: try source.requireRepositories(), now: now)
            let known = try await store.read { try $0.repository(name) }
            let (repository, hasChanged) = try await details.refresh(
                name, known: known, isConditional: isConditional)
            return (answer(repository), hasChanged)
        }.answers()
    }

    private func answer(_ stored: StoredRepository) -> LocalFirst<StoredRepository>.Stored {
        .init(value: stored, fetchedAt: stored.detailFetchedAt ?? stored.fetchedAt)
    }
}
