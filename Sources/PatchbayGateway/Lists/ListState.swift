public import PatchbayCore

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
