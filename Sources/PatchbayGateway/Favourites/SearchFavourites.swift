import PatchbayCore
public import PatchbayDomain

/// The favourites whose login or name holds a text, in the order of their titles.
public struct SearchFavourites: Sendable {
    let store: Store

    /// - Parameter text: white space at both ends does not count; the rest is compared case-folded
    ///   (`String.caseFolded`). Empty finds all.
    /// - Throws: `invalidValue` for a text that `SearchText` refuses.
    public func callAsFunction(_ text: String) async throws -> [StoredFavourite] {
        let wanted = try SearchText(text)?.prefix
        let favourites = try await store.read { try $0.favourites() }
        guard let wanted else { return favourites }
        return favourites.filter { favourite in
            [favourite.login, favourite.name ?? ""].contains { $0.caseFolded.contains(wanted) }
        }
    }
}
