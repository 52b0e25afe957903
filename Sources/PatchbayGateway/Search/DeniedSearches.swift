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
