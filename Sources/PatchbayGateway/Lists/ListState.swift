public import PatchbayCore

/// How a list goes on behind what an answer holds: what to show at the end of it.
public enum ListState: Hashable, Sendable {
    /// There is more, or nobody knows yet.
    case more
    /// The source is being asked; another answer follows.
    case fetching
    /// The list is as long as the caller lets it be; the source has more, or nobody knows.
    case limitReached(Int)
    /// The source said that nothing follows.
    case endOfSource
    /// The source could not be asked; nil when it may be tried again at once.
    case failed(retryAt: Timestamp?)
}

extension PatchbayError {
    /// When a source that refused because of a limit answers again; nil when it did not say.
    public var retryAt: Timestamp? {
        (context["come back at"] ?? context["resets at"]).flatMap { Timestamp($0) }
    }
}
