public import PatchbayCore

/// What a ``Window`` shows at one moment.
public struct WindowState<Item: Hashable & Sendable, Position: Comparable & Hashable & Sendable>: Sendable {
    /// In the order of the list; no more than ``size``.
    public var items: [Item]
    public var size: Int
    /// Whether something is stored before the first item.
    public var hasEarlier: Bool
    /// Whether something is stored behind the last item, or the source may have more.
    public var hasLater: Bool
    /// The cursors: the positions of the first and the last item. Nil when there are none.
    public var start: Position?
    public var end: Position?
    /// The positions of items that follow a stretch of the list that was never fetched.
    public var gaps: [Position]
    /// How the list goes on behind the last item.
    public var list: ListState
    /// Why the source, or the storage, could not do what was asked last.
    public var error: PatchbayError?
    /// Counts what the window told; of two states the one with the greater number is later.
    public var number: Int
}

extension WindowState: CustomStringConvertible {
    public var description: String {
        "\(items.count) of at most \(size)\(hasEarlier ? ", earlier" : "")\(hasLater ? ", later" : ""), \(list)"
    }
}
