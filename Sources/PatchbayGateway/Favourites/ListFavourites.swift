import PatchbayCore
public import PatchbayDomain

/// All favourites in the order of their titles, as the storage orders them.
public struct ListFavourites: Sendable {
    let store: Store

    public func callAsFunction() async throws -> [StoredFavourite] {
        try await store.read { try $0.favourites() }
    }
}

extension Reading {
    /// All favourites by title; no more than fit a page (``AddFavourite/favouritesMax``).
    func favourites() throws -> [StoredFavourite] {
        try list(StoredFavourite.self, Query(StoredFavourite.collection, by: StoredFavourite.byTitle))
    }
}
