public import PatchbayCore
import PatchbayDomain

/// The most recent searches, newest first.
public struct RecentSearches: Sendable {
    let store: Store
    let settings: SearchSettings

    /// Returns at most ``SearchSettings/recentMax`` searches.
    public func list() async throws -> [RecentSearch] {
        let query = Query(
            StoredRecentSearch.collection, by: StoredRecentSearch.byPlace, order: .descending,
            limit: settings.recentMax)
        return try await store.read { try $0.list(StoredRecentSearch.self, query).map(RecentSearch.init) }
    }

    /// Removes the searches for a text in any spelling and for every resource.
    ///
    /// - Throws: `notFound` when there is no such search, `invalidValue` for a text that cannot be searched.
    public func remove(_ text: String) async throws {
        try await store.delete(
            StoredRecentSearch.self, text, kind: "a recent search; check the list of recent searches")
    }

    /// Removes all recent searches and returns their number.
    public func clear() async throws -> Int { try await store.deleteAll(StoredRecentSearch.self) }
}

/// A text that was searched.
public struct RecentSearch: Sendable {
    /// The text as last typed.
    public let text: String
    /// When it was last searched.
    public let searchedAt: Timestamp
    /// The name of the collection that was searched (`Resource.collection`).
    public let collection: String

    init(_ search: StoredRecentSearch) {
        text = search.text
        searchedAt = search.searchedAt
        collection = search.subject
    }
}
