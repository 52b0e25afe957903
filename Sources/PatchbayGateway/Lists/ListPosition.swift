public import PatchbayDomain

/// The position of a row in a list that a ``Window`` shows.
public struct ListPosition: Hashable, Sendable {
    /// In an ordered list, the row's value of the order; in any other list, the number of its page, from 0.
    public let number: Int64
    /// The row's place on the page, from 0; always 0 in an ordered list.
    public let place: Int

    /// Creates a position; leave out `place` in an ordered list.
    public init(_ number: Int64, place: Int = 0) {
        self.number = number
        self.place = place
    }
}

extension ListPosition: Comparable {
    /// Orders by number, then by place on the page.
    public static func < (left: ListPosition, right: ListPosition) -> Bool {
        (left.number, left.place) < (right.number, right.place)
    }
}

/// A row with its position in a list.
public struct ListedItem: Hashable, Sendable {
    /// The row as it is stored.
    public let item: Item
    /// The row's position, unique in the list.
    public let position: ListPosition

    /// Creates a listed row; the position is not checked against the list.
    package init(_ item: Item, at position: ListPosition) {
        self.item = item
        self.position = position
    }
}
