public import PatchbayCore
public import PatchbayDomain

/// A stored stretch of a list of a resource's rows.
public struct ItemList: Sendable {
    /// The rows in the source's order, without duplicates.
    public let items: [Item]
    /// The value after which the next stretch of an ordered list starts (``NamedQuestion/after``); nil when nothing is
    /// known to follow.
    public internal(set) var next: Int64?
    /// Whether the list has more rows after these. In a list without an order, false when these are fewer than
    /// requested.
    public internal(set) var hasMore = false
    /// Whether these are fewer than requested because the rest was not fetched.
    public internal(set) var isPartial = false
    /// How the stored list continues; `Answer.state` also takes the outcome into account.
    public internal(set) var state: ListState
    /// The number of gaps before or between these rows, where rows of the list were not fetched.
    public internal(set) var gapCount = 0
    /// The gaps of an ordered list, in order. Listing after ``ListGap/after`` requests one from the source.
    public internal(set) var gaps: [ListGap] = []
    /// Why rows may be missing although the source answered; nil when none are. It is stored with the pages, so an
    /// answer from the storage has it as well.
    public var shortfall: Shortfall? { notes.shortfall }
    /// How the rows that were fetched for this answer differ from what their definition says; empty in an answer from
    /// the storage.
    public internal(set) var drift = Drift()
    /// The row that the list belongs to; nil when it belongs to none.
    public internal(set) var parent: Item?
    var notes = PageNotes()
    /// Where the next batch starts; see `ItemBatches`.
    var end: ListPosition?

    init(_ items: [Item], _ state: ListState) {
        self.items = items
        self.state = state
    }
}

extension Answer where Value == ItemList {
    /// How the list continues.
    public var state: ListState {
        switch outcome {
        case .stored: .fetching
        case .failed(let error): .failed(retryAt: error.retryAt)
        case .localOnly, .fresh, .unchanged: value?.state ?? .more
        }
    }
}

/// A stretch of an ordered list that was never fetched, before a stored row. Its rows are unknown.
public struct ListGap: Hashable, Sendable {
    /// The value of the order after which the stretch begins; listing after it requests the stretch from the source.
    public let after: Int64
    /// The value of the next stored row.
    public let before: Int64

    /// Creates the gap between two values of the order, both exclusive.
    package init(after: Int64, before: Int64) {
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

/// How a list continues after the rows of an answer; determines what to show at its end.
public enum ListState: Hashable, Sendable {
    /// There are more rows, or it is not known yet whether there are.
    case more
    /// The source is being queried; another answer follows.
    case fetching
    /// The list has reached the caller's limit, which is the associated value; the source may have more rows.
    case limitReached(Int)
    /// The source reported that nothing follows.
    case endOfSource
    /// The source could not be queried; `retryAt` is nil when a retry is possible at once.
    case failed(retryAt: Timestamp?)
}
