public import PatchbayCore

/// The state of a ``Window`` at one moment.
public struct WindowState<Item: Hashable & Sendable, Position: Comparable & Hashable & Sendable>: Sendable {
    /// The items in the order of the list, at most ``size``.
    public var items: [Item]
    /// The greatest number of items that the window shows.
    public var size: Int
    /// Whether items are stored before the first one.
    public var hasEarlier: Bool
    /// Whether items are stored after the last one, or the source may have more.
    public var hasLater: Bool
    /// Whether the first item of the list follows the last one, because all items are stored and the window wraps.
    public var isRing: Bool
    /// The position of the first item; nil when the window is empty.
    public var start: Position?
    /// The position of the last item; nil when the window is empty.
    public var end: Position?
    /// The positions of items that follow a stretch of the list that was never fetched.
    public var gaps: [Position]
    /// How the list continues after the last item.
    public var list: ListState
    /// The error of the last move or read; nil if it succeeded.
    public var error: PatchbayError?
    /// Increases with every state, so the state with the greater number is later.
    public var number: Int
}

extension WindowState: CustomStringConvertible {
    /// The number of items, whether more are stored or may follow, and how the list continues, on one line.
    public var description: String {
        "\(items.count) of at most \(size)\(hasEarlier ? ", earlier" : "")\(hasLater ? ", later" : ""), \(list)"
    }
}

/// The place where a walk through a list begins.
public enum WindowPlace<Position: Comparable & Hashable & Sendable>: Hashable, Sendable {
    /// Before the first item.
    case start
    /// At this position or, if it is not taken, at the next one.
    case at(Position)
    /// After this position, whether or not an item has it.
    case after(Position)

    var position: Position? {
        switch self {
        case .start: nil
        case .at(let position), .after(let position): position
        }
    }
}
