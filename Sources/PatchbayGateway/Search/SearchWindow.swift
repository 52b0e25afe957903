/// The first results of a search.
public struct SearchWindow<Item: Sendable>: Sendable {
    /// In the source's order.
    public let items: [Item]
    /// Whether the source has more.
    public let goesOn: Bool
    /// How many there are; nil when the source did not say, or was not asked.
    public internal(set) var total: Int64?
    /// Whether the source ran out of time, so that some may be missing.
    public internal(set) var isIncomplete = false
    /// The most results that the source gives for one query, when the list ends here because of it.
    public internal(set) var cap: Int64?
}
