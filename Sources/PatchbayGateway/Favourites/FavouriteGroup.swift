public import PatchbayDomain

/// Favourites with one initial.
public struct FavouriteGroup: Sendable {
    public let initial: Initial
    public let favourites: [StoredFavourite]

    /// Groups favourites by their initials.
    ///
    /// Groups stand in the order of their first favourite, the one for everything else last; favourites keep their
    /// order. Two spellings of an initial (NFC and NFD) are one group.
    public static func grouping(_ favourites: [StoredFavourite]) -> [FavouriteGroup] {
        var places: [Initial: Int] = [:]
        var groups: [(initial: Initial, favourites: [StoredFavourite])] = []
        for favourite in favourites {
            let initial = Initial(of: favourite.title)
            if let place = places[initial] {
                groups[place].favourites.append(favourite)
            } else {
                places[initial] = groups.count
                groups.append((initial, [favourite]))
            }
        }
        let ordered = groups.filter { $0.initial != .other } + groups.filter { $0.initial == .other }
        return ordered.map { FavouriteGroup(initial: $0.initial, favourites: $0.favourites) }
    }
}
