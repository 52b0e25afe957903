/// A page of the results of a search.
public struct SearchWindow<Item: Sendable>: Sendable {
    /// In the source's order; local matches by handle, then by title.
    public let items: [Item]
    /// Whether there are more after these; false when these are fewer than requested.
    public let hasMore: Bool
    /// Whether these are fewer than requested because the rest was not fetched.
    public internal(set) var isPartial = false
    /// Whether the page continues the results of an earlier page of the same search, so that the source was not queried
    /// again.
    public internal(set) var isContinued = false
    /// Whether the search found something, but this page is after its end.
    package internal(set) var isAfterEnd = false
    /// The number of results; nil when the source did not state it.
    public internal(set) var total: Int64?
    /// Whether the source ran out of time, so that results may be missing.
    public internal(set) var isIncomplete = false
    /// The greatest number of results that the source returns for one query, when the list ends because of it.
    public internal(set) var cap: Int64?
    /// The number of results that the source counts and did not return although the search was fetched to its end. Not
    /// nil for a search fetched completely with ``Gateway/searchAll(_:_:from:maximumRequests:)``; otherwise nil when
    /// none are missing.
    public internal(set) var missing: Int64?
    /// Where the items come from.
    public internal(set) var origin = Origin.source

    /// Makes a window without a total, a cap or missing results.
    package init(items: [Item], hasMore: Bool = false, origin: Origin = .source) {
        self.items = items
        self.hasMore = hasMore
        self.origin = origin
    }

    /// The origin of the items of a window.
    public enum Origin: Sendable {
        /// The source, now or when it was last queried.
        case source
        /// The storage: the source was never queried for this text, and these are the stored rows whose handle or title
        /// begins with it.
        case local
        /// A denial: the source found nothing a while ago and is not queried again until the denial expires.
        case denied
    }
}
