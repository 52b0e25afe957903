public import PatchbayCore

/// What a sync tells while it goes on.
public enum SyncEvent: Sendable {
    /// A step was saved: a page with its cursor, or some details.
    case saved(SyncProgress)
    /// The source would not tell about one row; the sync goes on. What it says of the row is saved.
    case skipped(String, PatchbayError)
    /// The last event.
    case ended(SyncEnd, SyncProgress)
}

/// How a sync ended. Whatever it was, what was saved stays, and the next one goes on from there.
public enum SyncEnd: Sendable {
    case complete
    /// The caller's task was cancelled.
    case interrupted
    /// As many requests were sent as the caller allowed.
    case limitReached
    /// The source or the storage could not do it. Of a rate limit the error says when to come back.
    case failed(PatchbayError)
}

/// How far a sync has come.
public struct SyncProgress: Hashable, Sendable {
    /// What is being fetched now, such as `repositories of user octocat`.
    public internal(set) var list = ""
    /// The questions that this sync has asked; redirects and retries of a layer below do not count.
    public internal(set) var requests = 0
    /// The questions that the source answered with "unchanged".
    public internal(set) var unchanged = 0
    /// The rows that this sync saved or confirmed.
    public internal(set) var rows: Int64 = 0
    /// What was different from what was stored.
    public internal(set) var changes = RowChanges()
    /// The rows that the source would not tell about.
    public internal(set) var skipped = 0
    /// The pages of the list so far, those of interrupted syncs before this one included.
    public internal(set) var pages: Int64 = 0
    /// How many pages the source said there are.
    public internal(set) var pageCount: Int64?
    /// Where the list goes on: a link, or `after 46`. Nil at its end.
    public internal(set) var next: String?

    /// Of a sync that has not begun.
    public init() {}
}

/// Where a sync begins.
public enum SyncStart: Sendable {
    /// Where the one before was interrupted; at the beginning after a complete one.
    case whereItStopped
    /// At the beginning, whatever there is. Pages that are stored are asked for conditionally.
    case theBeginning
}
