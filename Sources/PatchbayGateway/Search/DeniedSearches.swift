import PatchbayCore
public import PatchbayDomain

/// The searches that found nothing and are not asked again for a while, the newest first.
public struct DeniedSearches: Sendable {
    let store: Store
    let settings: SearchSettings
    let now: @Sendable () -> Timestamp

    /// Those that still hold, each with the time that it holds on.
    public func list() async throws -> [(search: StoredDeniedSearch, holdsFor: Duration)] {
        let time = now(), lifetime = settings.denialLifetime
        let query = Query(
            StoredDeniedSearch.collection, by: StoredDeniedSearch.byTime, order: .descending)
        return try await store.read { try $0.list(StoredDeniedSearch.self, query) }
            .filter { $0.holds(at: time, for: lifetime) }
            .map { ($0, lifetime - $0.deniedAt.age(at: time)) }
    }

    /// Lets a text be asked again, however it is typed, for whatever it was denied.
    ///
    /// - Throws: `notFound` when it is not denied, `invalidValue` for a text that is none.
    public func remove(_ text: String) async throws {
        let count = try await store.delete(StoredDeniedSearch.self, SearchRequest.searchText(text))
        guard count > 0 else {
            throw PatchbayError(
                .notFound, "\"\(text)\" is not denied; \"patchbay search deny\" lists what is")
        }
    }

    /// Lets all be asked again. Returns how many there were.
    public func clear() async throws -> Int { try await store.deleteAll(StoredDeniedSearch.self) }
}
