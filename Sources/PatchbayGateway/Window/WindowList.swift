import PatchbayCore

/// A list that a ``Window`` can show: items in the order of their positions. Some are stored; a source may have more.
///
/// Items are reached by position, never by number, so that a step costs the same in a list of any length.
protocol WindowList<Item, Position>: Sendable {
    /// The type of the items, such as a listed row or a favourite.
    associatedtype Item: Hashable & Sendable
    /// The position of an item, unique in the list.
    associatedtype Position: Comparable & Hashable & Sendable

    /// The collections whose changes may change the list.
    var collections: Set<String> { get }
    /// Whether ``fetch(_:)`` can fetch more items.
    var queriesSource: Bool { get }

    /// Returns the position of an item of this list.
    func position(of item: Item) -> Position

    /// The stored items from a place on, in order, up to the first gap: a stretch that was never fetched.
    ///
    /// - Parameters:
    ///   - limit: the greatest number of items; 0 only determines `behind`.
    ///   - acrossGaps: whether to continue after gaps.
    func later(
        _ place: WindowPlace<Position>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<Item>

    /// The stored items before a position, nearest first, regardless of gaps; nil for those before the end.
    func earlier(than position: Position?, limit: Int, in reading: borrowing Reading) throws -> [Item]

    /// The positions of items that follow a stretch that was never fetched, without the first item.
    func gaps(among items: [Item], in reading: borrowing Reading) throws -> [Position]

    /// The position at a fraction of the stored items, where 0 is the first and 1 the last; nil when nothing is stored.
    func position(at fraction: Double, in reading: borrowing Reading) throws -> Position?

    /// Whether the whole list is stored, so that its start can follow its end.
    func isWhole(in reading: borrowing Reading) throws -> Bool

    /// Queries the source until an item after a place is stored, or the list ends there.
    func fetch(_ place: WindowPlace<Position>) async throws
}

extension WindowList {
    /// Returns no gaps, for a list that is stored completely.
    func gaps(among items: [Item], in reading: borrowing Reading) throws -> [Position] { [] }
}

/// The stored items from a place on.
struct LaterItems<Item: Hashable & Sendable>: Hashable, Sendable {
    /// The items in order, at most the requested number.
    var items: [Item] = []
    /// What follows the last item, or follows the place when `items` is empty.
    var following: Following

    /// What follows the last item.
    enum Following: Hashable, Sendable {
        /// More stored items.
        case stored
        /// A stretch that was never fetched.
        case unfetched
        /// Nothing, because the list has reached this limit.
        case limit(Int)
        /// Nothing, because the list ends.
        case end
    }
}
