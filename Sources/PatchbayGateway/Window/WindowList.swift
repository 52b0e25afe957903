public import PatchbayCore

/// A list that a ``Window`` can lie over: items in the order of their positions, some stored, perhaps more at a source.
///
/// It is walked by position only, never by number, so that a step costs the same in a list of any length.
public protocol WindowList<Item, Position>: Sendable {
    associatedtype Item: Hashable & Sendable
    /// Where an item stands; no two items of a list have the same.
    associatedtype Position: Comparable & Hashable & Sendable

    /// The collections whose changes may change the list.
    var collections: Set<String> { get }
    /// Whether ``fetch(_:)`` can bring more.
    var asksSource: Bool { get }

    func position(of item: Item) -> Position

    /// The stored items from a place on, in order, up to the first gap: a stretch that was never fetched.
    ///
    /// - Parameters:
    ///   - limit: how many items at most; 0 only asks what is behind the place.
    ///   - acrossGaps: goes on behind gaps.
    func later(
        _ place: WindowPlace<Position>, limit: Int, acrossGaps: Bool, in reading: borrowing Reading
    ) throws -> LaterItems<Item>

    /// The stored items before a position, the nearest first; nil is the end of what is stored. Gaps do not count.
    func earlier(than position: Position?, limit: Int, in reading: borrowing Reading) throws -> [Item]

    /// The positions of items that follow a stretch that was never fetched, without the first item.
    func gaps(among items: [Item], in reading: borrowing Reading) throws -> [Position]

    /// The position at a fraction of what is stored, 0 its first item and 1 its last; nil when nothing is stored.
    func position(at fraction: Double, in reading: borrowing Reading) throws -> Position?

    /// Whether all of the list is stored, so that its end is next to its start.
    func isWhole(in reading: borrowing Reading) throws -> Bool

    /// Asks the source until something is stored behind a place, or the list ends there.
    func fetch(_ place: WindowPlace<Position>) async throws
}

extension WindowList {
    /// None: all of the list is stored.
    public func gaps(among items: [Item], in reading: borrowing Reading) throws -> [Position] { [] }
}

/// Where a walk through a list begins.
public enum WindowPlace<Position: Comparable & Hashable & Sendable>: Hashable, Sendable {
    case start
    /// At this position, or the next that is taken.
    case at(Position)
    case behind(Position)
}

/// What a list has stored from a place on.
public struct LaterItems<Item: Hashable & Sendable>: Hashable, Sendable {
    public var items: [Item]
    public var behind: Behind

    public init(items: [Item] = [], behind: Behind) {
        self.items = items
        self.behind = behind
    }

    /// What stands behind the last of some items.
    public enum Behind: Hashable, Sendable {
        /// More that is stored.
        case stored
        /// A stretch that was never fetched.
        case unfetched
        /// Nothing: the list may have only so many items.
        case limit(Int)
        /// Nothing: the list ends.
        case end
    }
}
