public import PatchbayCore
public import PatchbayDomain

/// A page of the users that a text finds: what is stored, at once, then what the source finds.
///
/// What the source found last is stored; of a text that was never asked, the stored users whose login or shown name
/// begins with it, marked as local (``SearchWindow/origin``). A text that found nothing is not asked again for a while
/// (``SearchSettings/denialLifetime``), unless the policy is `refresh`. With the policy `localFirst` a later page
/// continues what the source found for the pages before it, as long as that is younger than ten minutes, so that no
/// page of the source is fetched twice (``SearchWindow/isContinued``). Each search is noted among the recent ones.
public struct SearchUsers: Sendable {
    let store: SourceStore
    let source: Source
    let settings: SearchSettings
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener

    /// - Parameters:
    ///   - text: normalised as `SearchText` says; a text that it refuses, or an empty one, is answered with
    ///     `invalidValue`, and nothing is asked.
    ///   - page: which page, from 1.
    ///   - limit: how many users a page has; the window ends within the first 10,000 (`Limits.pageRows`).
    public func callAsFunction(
        _ text: String, page: Int = 1, limit: Int = 20, policy: Policy = .localFirst
    ) -> Answers<SearchWindow<User>> {
        list.answers(SearchRequest(text, page: page, limit: limit, policy))
    }

    /// Searches while somebody is typing.
    ///
    /// - Parameters:
    ///   - debounce: how long a text stays unchanged before it is searched; nil takes the setting's.
    ///   - clock: what is waited on; nil is the system's. A test gives its own.
    public func session(
        limit: Int = 20, policy: Policy = .localFirst, debounce: Duration? = nil, clock: LayerClock? = nil
    ) -> SearchSession<User> {
        list.session(limit: limit, policy: policy, debounce: debounce, clock: clock)
    }

    private var list: SearchList<User> {
        SearchList(
            store: store, now: now, served: served, settings: settings, subject: "users",
            source: source.identity,
            ask: { [source] in
                guard let search = source.userSearch else { throw source.lacks("users by a search") }
                return try await search.searchUsers($0, ifChangedFrom: $1)
            },
            key: { String($0.id) },
            save: { try $1.save($0, at: $2) },
            confirm: { try $1.confirmListed(user: $0) },
            item: { try $1.listedUser($0) },
            matches: { text, limit, reading in
                LocalMatches(try reading.users(beginningWith: text, limit: limit))
            })
    }
}
