public import PatchbayCore
public import PatchbayDomain

/// An event of a running sync.
public enum SyncEvent: Sendable {
    /// A step was saved: a page with its cursor, or some details.
    case saved(SyncProgress)
    /// The source refused one row or list, which is named, or failed to answer for it, or returns another row for its
    /// handle; the sync continues. A refusal of a row is saved. After a failure to answer, the sync ends with its error
    /// when nothing else is left to do.
    case skipped(String, PatchbayError)
    /// A list, which is named, was fetched to its end, but rows may be missing; the sync continues. Stored rows stay,
    /// and none is marked as no longer listed.
    case incomplete(String, Shortfall)
    /// A message about a list, which is named. Its rows are right.
    case noted(String, String)
    /// The last event.
    case ended(SyncEnd, SyncProgress)
}

/// How a sync ended. In every case saved rows stay, and the next sync continues from there.
public enum SyncEnd: Sendable {
    /// All lists and details that the sync covers are stored and up to date.
    case complete
    /// Everything was fetched, but rows of a list may be missing; the first reason.
    case incomplete(Shortfall)
    /// The caller's task was cancelled.
    case interrupted
    /// The number of requests reached the caller's limit.
    case limitReached
    /// The source or the storage failed. After a rate limit the error states when to retry.
    case failed(PatchbayError)
}

/// The progress of a sync.
public struct SyncProgress: Hashable, Sendable {
    /// The list being fetched, such as `repositories of user octocat`.
    public internal(set) var list = ""
    /// The number of requests of this sync; redirects and retries by lower layers do not count.
    public internal(set) var requests = 0
    /// The number of requests that the source answered with "unchanged".
    public internal(set) var unchanged = 0
    /// The number of rows that this sync saved or confirmed. A row on two pages, such as one at the border of two
    /// periods, counts twice.
    public internal(set) var rows: Int64 = 0
    /// The changes to stored rows.
    public internal(set) var changes = RowChanges()
    /// The number of rows and lists that the source refused, or for which it failed to answer.
    public internal(set) var skipped = 0
    /// The lists of which rows may be missing, with the reasons; at most 100.
    public internal(set) var shortfalls: [ListShortfall] = []
    /// The number of pages of the list so far, including those of earlier interrupted syncs.
    public internal(set) var pages: Int64 = 0
    /// The number of pages reported by the source.
    public internal(set) var pageCount: Int64?
    /// Where the list continues: a link, or `after 46`. Nil at its end.
    public internal(set) var next: String?

    /// Makes the progress of a sync that has not begun.
    package init() {}
}

/// A list of which rows may be missing although it was fetched to its end.
public struct ListShortfall: Hashable, Sendable {
    /// The list, such as `repositories of user octocat`.
    public let list: String
    /// Why rows may be missing.
    public let shortfall: Shortfall
}

extension SyncProgress {
    /// The maximum number of shortfalls to keep.
    static let shortfallsMax = 100

    mutating func add(_ shortfalls: [ListShortfall]) {
        self.shortfalls += shortfalls.prefix(Self.shortfallsMax - self.shortfalls.count)
    }
}

/// Where a sync begins.
public enum SyncStart: Hashable, Sendable {
    /// Where the previous sync was interrupted; at the beginning if it was complete.
    case whereItStopped
    /// Where the previous sync was interrupted. A list that was completed since a time is not requested again; the
    /// others are requested whole if `isWhole`, even if the source can report only newer rows.
    case continuing(since: Timestamp, isWhole: Bool)
    /// Always at the beginning. Stored pages are requested conditionally.
    case theBeginning

    /// Whether lists are requested whole.
    var isWhole: Bool {
        switch self {
        case .whereItStopped: false
        case .continuing(_, let isWhole): isWhole
        case .theBeginning: true
        }
    }

    /// Whether this is part of a sync that continues an interrupted one.
    var isContinuing: Bool { if case .continuing = self { true } else { false } }

    /// Whether an earlier run of a list is continued, or decides what a new one may leave out. A sync of whole lists
    /// continues only runs of its own.
    func isAfter(_ former: StoredListRun) -> Bool {
        switch self {
        case .whereItStopped, .continuing(_, isWhole: false): true
        case .continuing(let since, isWhole: true): former.startedAt >= since && former.since == nil
        case .theBeginning: false
        }
    }

    /// Whether a list that was completed at a time is not requested again.
    func includes(_ finishedAt: Timestamp, at now: Timestamp) -> Bool {
        guard case .continuing(let since, _) = self else { return false }
        // A time in the future was recorded before the clock was set back.
        return (since...max(since, now)).contains(finishedAt)
    }
}
