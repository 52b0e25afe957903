package import PatchbayDomain

/// Favourites whose titles have the same initial.
package struct InitialGroup: Sendable {
    /// The initial that the titles share; `Initial.other` for titles that do not begin with a letter.
    package let initial: Initial
    /// The favourites of the group in their original order, at least one.
    package private(set) var elements: [Favourite]

    /// Groups favourites by the initials of their titles.
    ///
    /// Groups are in the order of their first favourites, except that `Initial.other` is last; favourites keep their
    /// order. NFC and NFD spellings of an initial form one group.
    package static func grouping(_ favourites: [Favourite]) -> [InitialGroup] {
        var places: [Initial: Int] = [:], groups: [InitialGroup] = []
        for favourite in favourites {
            let initial = Initial(of: favourite.title)
            if let place = places[initial] {
                groups[place].elements.append(favourite)
            } else {
                places[initial] = groups.count
                groups.append(InitialGroup(initial: initial, elements: [favourite]))
            }
        }
        return groups.filter { $0.initial != .other } + groups.filter { $0.initial == .other }
    }
}
