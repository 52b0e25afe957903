public import PatchbayDomain

/// Where a row stands in a list that a ``Window`` lies over.
public struct ListPosition: Hashable, Sendable {
    /// Of an ordered list the row's value of the order; of another one the number of its page, from 0.
    public let number: Int64
    /// The row's place in the page, from 0. In an ordered list it is 0.
    public let place: Int

    public init(_ number: Int64, place: Int = 0) {
        self.number = number
        self.place = place
    }
}

extension ListPosition: Comparable {
    public static func < (left: ListPosition, right: ListPosition) -> Bool {
        (left.number, left.place) < (right.number, right.place)
    }
}

/// A row with where it stands in its list.
public struct ListedItem: Hashable, Sendable {
    public let item: Item
    public let position: ListPosition

    public init(_ item: Item, at position: ListPosition) {
        self.item = item
        self.position = position
    }
}
