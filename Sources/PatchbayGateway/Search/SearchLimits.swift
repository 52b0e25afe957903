import PatchbayCore
import PatchbayDomain

/// How many rows of each kind searches leave in a storage.
enum SearchLimits {
    /// Searches whose results are kept; beyond, those that were asked longest ago go. Users and repositories stay.
    static let searchesMax = 1_000
    /// Texts that found nothing; beyond, the oldest go.
    static let denialsMax = 1_000
    /// How long the results of a search are continued by its later pages.
    static let continuationLifetime = Duration.seconds(600)
}

extension Store {
    /// Puts a search at the top of the recent ones, and forgets those beyond the greatest number.
    ///
    /// - Parameter former: a search that goes when this one is the same typing.
    func note(
        _ text: SearchText, for subject: String, after former: SearchText?, _ settings: SearchSettings,
        at time: Timestamp
    ) async throws {
        guard settings.recentMax > 0 else { return }
        try await write { writing in
            let newest = Query(
                StoredRecentSearch.collection, by: StoredRecentSearch.byPlace, order: .descending, limit: 1)
            // An imported row may hold the greatest number there is.
            let last = min(
                try writing.reading.list(StoredRecentSearch.self, newest).first?.place ?? 0, .max - 1)
            if let former, former != text, former.isSameTyping(as: text) {
                try writing.delete(StoredRecentSearch.self, former.rowKey(for: subject))
            }
            try writing.put(StoredRecentSearch(text, for: subject, place: last + 1, searchedAt: time))
            let old = Query(StoredRecentSearch.collection, by: StoredRecentSearch.byPlace, order: .descending)
            for search in try writing.reading.list(StoredRecentSearch.self, old).dropFirst(settings.recentMax)
            {
                try writing.delete(StoredRecentSearch.self, search.rowKey)
            }
        }
    }
}

extension Writing {
    /// Keeps that a text found nothing; forgets the denials that hold no more, and the oldest beyond the limit.
    mutating func deny(_ search: StoredDeniedSearch, _ lifetime: Duration) throws {
        try put(search)
        let all = Query(
            StoredDeniedSearch.collection, by: StoredDeniedSearch.byTime, order: .descending,
            limit: Limits.pageRows)
        for (place, denied) in try reading.list(StoredDeniedSearch.self, all).enumerated()
        where place >= SearchLimits.denialsMax || !denied.holds(at: search.deniedAt, for: lifetime) {
            try delete(StoredDeniedSearch.self, denied.rowKey)
        }
    }

    /// Forgets the results of the searches that were asked longest ago, when there are too many.
    mutating func forgetOldSearches() throws {
        let surplus = try reading.count(Query(StoredSearch.collection)) - SearchLimits.searchesMax
        guard surplus > 0 else { return }
        let oldest = Query(StoredSearch.collection, by: StoredSearch.byTime, limit: surplus)
        for search in try reading.list(StoredSearch.self, oldest) {
            let pages = Query(
                StoredListPage.collection, .equal(.text(search.list)), fields: StoredListPage.withoutKeys)
            var positions: [Int64] = []
            try reading.scan(pages) { row in
                positions.append(StoredListPage(row).position)
                return .next
            }
            for position in positions {
                try delete(StoredListPage.self, [.text(search.list), .integer(position)])
            }
            try delete(StoredSearch.self, .text(search.list))
        }
    }
}
