package import Patchbay

/// Data to print in addition to the fields of rows.
package enum Addition: Sendable {
    /// The keys of the rows that are favourites.
    case favourites(Set<Key>)
    case children(NewestChildren)

    package func fields(of item: Item) -> [(name: String, value: OutputValue)] {
        switch self {
        case .favourites(let keys): [(Addition.favourite, .bool(keys.contains(item.key)))]
        case .children(let children): children.fields(of: item)
        }
    }

    package static let favourite = "favourite"
}
