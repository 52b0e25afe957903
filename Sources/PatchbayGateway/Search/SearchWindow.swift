/// A page of the results of a search.
public struct SearchWindow<Item: Sendable>: Sendable {
    /// In the source's order; local matches in the order of their logins, then of their names.
    public let items: [Item]
    /// Whether there are more after these; false when these are fewer than wanted.
    public let goesOn: Bool
    /// Whether these are fewer than wanted because the rest was not fetched.
    public internal(set) var isPartial = false
    /// Whether the page continues what an earlier page of the same search brought, so the source was not asked again.
    public internal(set) var isContinued = false
    /// Whether the search found something, but less than the pages before this one hold.
    public internal(set) var isBehindEnd = false
    /// How many there are; nil when the source did not say.
    public internal(set) var total: Int64?
    /// Whether the source ran out of time, so that some may be missing.
    public internal(set) var isIncomplete = false
    /// The most results that the source gives for one query, when the list ends here because of it.
    public internal(set) var cap: Int64?
    /// Of a search that was fetched as a whole (``Gateway/searchAll(_:_:from:maximumRequests:)``): how many results the
    /// source did not return. Nil for any other search.
    public internal(set) var missing: Int64?
    /// Where the items come from.
    public internal(set) var origin = Origin.source

    /// A window that holds so much and says no more.
    public init(items: [Item], goesOn: Bool = false, origin: Origin = .source) {
        self.items = items
        self.goesOn = goesOn
        self.origin = origin
    }

    /// Who found the items of a window.
    public enum Origin: Sendable {
        /// The source, now or when it was asked last.
        case source
        /// Nobody asked the source about this text: these are the stored users whose login or name begins with it.
        case local
        /// The source found nothing a while ago, and is not asked again before that is old.
        case denied
    }
}
