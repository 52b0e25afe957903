package import PatchbayCore
import PatchbayDomain

/// The limits on rows that searches leave in a storage.
enum SearchLimits {
    /// The number of searches whose results are kept. Results of older searches are deleted; the rows found stay.
    static let searchesMax = 1_000
    /// The number of denied texts kept; older ones are deleted.
    static let denialsMax = 1_000
    /// The age up to which later pages continue the results of a search.
    static let continuationLifetime = Duration.seconds(600)
}

extension Store {
    /// Puts a search at the top of the recent ones, and deletes those beyond the limit.
    ///
    /// - Parameter former: an earlier search, which is removed when this one continues its typing.
    func note(
        _ text: SearchText, for subject: String, after former: SearchText?, _ settings: SearchSettings,
        at time: Timestamp
    ) async throws {
        guard settings.recentMax > 0 else { return }
        try await write { writing in
            let newest = Query(
                StoredRecentSearch.collection, by: StoredRecentSearch.byPlace, order: .descending, limit: 1)
            // An imported row may contain the greatest possible number.
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
    /// Records that a text found nothing; deletes expired denials, and the oldest beyond the limit.
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

    /// Saves what a source reports with a page of results.
    ///
    /// - Parameters:
    ///   - isFirst: whether it is the first page, so that earlier reports are out of date.
    ///   - change: takes the number of results and the cap.
    mutating func note(
        _ page: ItemPage, in list: String, isFirst: Bool, at time: Timestamp,
        _ change: (inout StoredSearch) -> Void
    ) throws {
        var search =
            try reading.get(StoredSearch.self, .text(list)) ?? StoredSearch(list: list, fetchedAt: time)
        search.isIncomplete = page.isIncomplete || !isFirst && search.isIncomplete
        search.fetchedAt = time
        change(&search)
        try put(search)
    }

    /// Deletes the results of the oldest searches when there are too many.
    mutating func forgetOldSearches() throws {
        let surplus = try reading.count(Query(StoredSearch.collection)) - SearchLimits.searchesMax
        guard surplus > 0 else { return }
        let oldest = Query(StoredSearch.collection, by: StoredSearch.byTime, limit: surplus)
        for search in try reading.list(StoredSearch.self, oldest) {
            try delete(Query(StoredListPage.collection, .equal(.text(search.list))))
            try delete(StoredSearch.self, .text(search.list))
        }
    }
}

/// How much searches remember; the keys `search.…` of a configuration.
public struct SearchSettings: Sendable {
    /// The number of recent searches kept, 0 to 1,000.
    public var recentMax = 20
    /// The time for which a search that found nothing is not sent again; zero to always send it.
    public var denialLifetime = Duration.seconds(3_600)
    /// The time for which a text must stay unchanged before a ``SearchSession`` searches it.
    public var debounce = Duration.milliseconds(500)

    /// Creates settings with the default values.
    public init() {}

    /// - Throws: `invalidConfiguration`.
    package init(_ settings: Settings) throws {
        if let count = try settings.integer("recent-max") { recentMax = count }
        if let seconds = try settings.integer("deny-seconds") { denialLifetime = .seconds(seconds) }
        if let delay = try settings.integer("debounce-milliseconds") { debounce = .milliseconds(delay) }
    }

    /// The keys, without the prefix `search.`.
    package static let options = [
        PluginOption(
            "recent-max", .integer(0...1_000), default: "20",
            "how many recent searches are kept; 0 keeps none"),
        PluginOption(
            "deny-seconds", .integer(0...31_536_000), default: "3600",
            "how long a search that found nothing is not sent again, in seconds; 0 always sends it"),
        PluginOption(
            "debounce-milliseconds", .integer(0...60_000), default: "500",
            "how long a text must stay unchanged before an interactive search sends it"),
    ]
}
