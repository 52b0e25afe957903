import PatchbayCore
public import PatchbayDomain

/// The favourites whose login or name holds a text, in the order of their titles.
public struct SearchFavourites: Sendable {
    let store: Store

    /// - Parameter text: letters count alike in both cases and in both spellings of Unicode; empty finds all.
    public func callAsFunction(_ text: String) async throws -> [StoredFavourite] {
        let wanted = text.lowercased()
        let favourites = try await store.read { try $0.favourites() }
        guard !wanted.isEmpty else { return favourites }
        return favourites.filter { favourite in
            [favourite.login, favourite.name ?? ""].contains { $0.lowercased().contains(wanted) }
        }
    }
}
