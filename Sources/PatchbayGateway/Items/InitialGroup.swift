package import PatchbayDomain

/// Elements whose titles have the same initial.
package struct InitialGroup<Element: Sendable>: Sendable {
    /// The initial that the titles share; `Initial.other` for titles that do not begin with a letter.
    package let initial: Initial
    /// The elements of the group in their original order, at least one.
    package let elements: [Element]

    /// Groups elements by the initials of their titles.
    ///
    /// Groups are in the order of their first elements, except that `Initial.other` is last; elements keep their order.
    /// NFC and NFD spellings of an initial form one group.
    package static func grouping(_ elements: [Element], by title: (Element) -> String) -> [InitialGroup] {
        var places: [Initial: Int] = [:]
        var groups: [(initial: Initial, elements: [Element])] = []
        for element in elements {
            let initial = Initial(of: title(element))
            if let place = places[initial] {
                groups[place].elements.append(element)
            } else {
                places[initial] = groups.count
                groups.append((initial, [element]))
            }
        }
        let ordered = groups.filter { $0.initial != .other } + groups.filter { $0.initial == .other }
        return ordered.map { InitialGroup(initial: $0.initial, elements: $0.elements) }
    }
}

extension InitialGroup<Favourite> {
    /// Groups favourites by the initials of their titles.
    package static func grouping(_ favourites: [Favourite]) -> [InitialGroup] {
        grouping(favourites, by: \.title)
    }
}
