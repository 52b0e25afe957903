public import PatchbayCore
public import PatchbayDomain

/// A page of the repositories that a text finds: what the source found last, at once, then what it finds.
///
/// Texts, denials and recent searches are as of ``SearchUsers``; there are no local matches.
public struct SearchRepositories: Sendable {
    let store: SourceStore
    let source: Source
    let settings: SearchSettings
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    /// - Parameters: as of ``SearchUsers``.
    public func callAsFunction(
        _ text: String, page: Int = 1, limit: Int = 20, policy: Policy = .localFirst
    ) -> Answers<SearchWindow<Repository>> {
        list.answers(SearchRequest(text, page: page, limit: limit, policy))
    }

    /// Searches while somebody is typing; parameters as of ``SearchUsers/session(limit:policy:debounce:clock:)``.
    public func session(
        limit: Int = 20, policy: Policy = .localFirst, debounce: Duration? = nil, clock: LayerClock? = nil
    ) -> SearchSession<Repository> {
        list.session(limit: limit, policy: policy, debounce: debounce, clock: clock)
    }

    private var list: SearchList<Repository> {
        SearchList(
            store: store, now: now, served: served, settings: settings, subject: "repositories",
            source: source.identity,
            ask: { [source] in
                guard let search = source.repositorySearch else {
                    throw source.lacks("repositories by a search")
                }
                return try await search.searchRepositories($0, ifChangedFrom: $1)
            },
            key: { String($0.id) },
            save: { try $1.save($0, at: $2) },
            confirm: { try $1.confirmListed(repository: $0) },
            item: { try $1.listedRepository($0) })
    }
}
