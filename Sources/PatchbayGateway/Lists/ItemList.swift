public import PatchbayDomain

/// A stretch of a list of a resource's rows, as it is stored.
public struct ItemList: Sendable {
    /// In the source's order, each once.
    public let items: [Item]
    /// Of a list that comes in an order, where the next stretch starts (``NamedQuestion/after``); nil when nothing is
    /// known to follow.
    public internal(set) var next: Int64?
    /// Whether the list has more after these. Of a list that comes in no order, false when these are fewer than wanted.
    public internal(set) var goesOn = false
    /// Whether these are fewer than wanted because the rest was not fetched.
    public internal(set) var isPartial = false
    /// How the list goes on as far as is stored; `Answer.state` says it for the whole answer.
    public internal(set) var state: ListState
    /// Where stretches of the list that were never fetched lie before or between these rows, in their order.
    /// ``ListGap/after`` is where a list asks the source for one.
    public internal(set) var gaps: [ListGap] = []
    /// The row that the list belongs to; nil when it belongs to none.
    public internal(set) var parent: Item?
    /// Where the next batch starts; see `ItemBatches`.
    var end: ListPosition?

    init(_ items: [Item], _ state: ListState) {
        self.items = items
        self.state = state
    }
}

extension Answer where Value == ItemList {
    /// How the list goes on.
    public var state: ListState {
        switch outcome {
        case .stored: .fetching
        case .failed(let error): .failed(retryAt: error.retryAt)
        case .localOnly, .fresh, .unchanged: value?.state ?? .more
        }
    }
}

/// A stretch of an ordered list that was never fetched, before a stored row: nobody knows which rows are in it.
public struct ListGap: Hashable, Sendable {
    /// The stretch begins after this value of the order; a list from here asks the source for it.
    public let after: Int64
    /// The value of the next row that is stored.
    public let before: Int64

    public init(after: Int64, before: Int64) {
        self.after = after
        self.before = before
    }
}

extension ListGap: CustomStringConvertible {
    /// Such as `136 to 5003 were never fetched`.
    public var description: String {
        let first = after + 1, last = before - 1
        return first == last ? "\(first) was never fetched" : "\(first) to \(last) were never fetched"
    }
}
