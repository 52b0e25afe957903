public import PatchbayCore
import PatchbayDomain

/// The searches that found nothing and are not sent again for a while, newest first.
public struct DeniedSearches: Sendable {
    let store: Store
    let settings: SearchSettings
    let now: @Sendable () -> Timestamp

    /// The denials that are still in effect.
    public func list() async throws -> [DeniedSearch] {
        let time = now(), lifetime = settings.denialLifetime
        let query = Query(
            StoredDeniedSearch.collection, by: StoredDeniedSearch.byTime, order: .descending)
        return try await store.read { try $0.list(StoredDeniedSearch.self, query) }
            .filter { $0.holds(at: time, for: lifetime) }
            .map { DeniedSearch($0, holdsFor: lifetime - $0.deniedAt.age(at: time)) }
    }

    /// Removes the denials of a text in any spelling and for every resource, so that it can be searched again.
    ///
    /// - Throws: `notFound` when it is not denied, `invalidValue` for a text that cannot be searched.
    public func remove(_ text: String) async throws {
        try await store.delete(
            StoredDeniedSearch.self, text, kind: "denied; check the list of denied searches")
    }

    /// Removes all denials and returns their number.
    public func clear() async throws -> Int { try await store.deleteAll(StoredDeniedSearch.self) }
}

/// A search that found nothing. It is not sent again until ``holdsFor`` has passed.
public struct DeniedSearch: Sendable {
    /// The text as typed.
    public let text: String
    /// The source that found nothing (`Source.identity`); another source may find something.
    public let source: String
    /// When the source found nothing.
    public let deniedAt: Timestamp
    /// The remaining time.
    public let holdsFor: Duration
    /// The name of the collection that was searched (`Resource.collection`).
    public let collection: String

    init(_ search: StoredDeniedSearch, holdsFor: Duration) {
        text = search.text
        source = search.source
        deniedAt = search.deniedAt
        collection = search.subject
        self.holdsFor = holdsFor
    }
}

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

extension Store {
    /// Deletes the rows of a text for every searched collection.
    ///
    /// - Parameters:
    ///   - type: a record whose key is the searched collection, then the text.
    ///   - kind: the words after "is not" in the message about a missing row, such as "a recent search".
    /// - Throws: `notFound` when there is none, `invalidValue` for a text that cannot be searched.
    func delete<R: StoredRecord>(_ type: R.Type, _ typed: String, kind: String) async throws {
        let text = try SearchRequest.searchText(typed)
        let count = try await write { writing in
            try writing.delete(Query(type.collection)) {
                type.collection.key(of: $0).values.last == .text(text.key)
            }
        }
        if count == 0 { throw PatchbayError(.notFound, "\"\(typed)\" is not \(kind)") }
    }

    /// Deletes all rows of a kind and returns their number.
    func deleteAll<R: StoredRecord>(_ type: R.Type) async throws -> Int {
        try await write { writing in
            let count = try writing.reading.count(Query(type.collection))
            if count > 0 { try writing.deleteAll(type) }
            return count
        }
    }
}
