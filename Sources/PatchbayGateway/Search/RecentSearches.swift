import PatchbayCore
public import PatchbayDomain

/// The searches that were made last, the newest first.
public struct RecentSearches: Sendable {
    let store: Store
    let settings: SearchSettings

    /// At most as many as the setting allows (``SearchSettings/recentMax``).
    public func list() async throws -> [StoredRecentSearch] {
        let query = Query(
            StoredRecentSearch.collection, by: StoredRecentSearch.byPlace, order: .descending,
            limit: settings.recentMax)
        return try await store.read { try $0.list(StoredRecentSearch.self, query) }
    }

    /// Forgets a search, however its text is typed, for whatever it was.
    ///
    /// - Throws: `notFound` when there is no such search, `invalidValue` for a text that is none.
    public func remove(_ text: String) async throws {
        let count = try await store.delete(StoredRecentSearch.self, SearchRequest.searchText(text))
        guard count > 0 else {
            throw PatchbayError(
                .notFound, "\"\(text)\" is no recent search; \"patchbay search recent\" lists them")
        }
    }

    /// Forgets all. Returns how many there were.
    public func clear() async throws -> Int { try await store.deleteAll(StoredRecentSearch.self) }
}
