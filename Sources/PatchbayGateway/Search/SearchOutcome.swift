public import PatchbayCore
import PatchbayDomain

/// How a search ended, for display. Failures include the exact error besides the sentence.
public enum SearchOutcome: Sendable {
    /// This page has results.
    case found
    /// The source found nothing, now or a while ago.
    case noRecords
    /// The search found something, but nothing on this page.
    case noMore
    /// The source could not be reached, or was not queried (nil). Stored results may be shown.
    case offline(PatchbayError?)
    /// The source answered that it cannot search now. Stored results may be shown.
    case unavailable(PatchbayError)
    /// The caller cancelled the search. Stored results may be shown.
    case interrupted
    /// The source is a recording, which does not contain this search. Stored results may be shown.
    case notRecorded(PatchbayError)
    /// Any other failure. Stored results may be shown.
    case failed(PatchbayError)

    /// The sentence to show; nil when there are results to show.
    ///
    /// - Parameter plural: the name of the searched rows in messages, such as `users`.
    public func sentence(about plural: String) -> String? {
        switch self {
        case .found, .interrupted: nil
        case .noRecords: "No records found"
        case .noMore: "No records on this page"
        case .offline(nil): "Only stored \(plural) were searched; the source was not queried."
        case .offline: "The source could not be reached; only stored \(plural) were searched."
        case .unavailable: "The source cannot search now. Please try again later."
        case .notRecorded:
            "The recording does not contain this search; only stored \(plural) were searched."
        case .failed: "The search failed."
        }
    }
}

extension Answer {
    /// How the search ended; nil while the source is being queried.
    public func searchOutcome<Item>() -> SearchOutcome? where Value == SearchWindow<Item> {
        switch outcome {
        case .stored: nil
        case .failed(let error): SearchOutcome(failed: error)
        case .localOnly where value?.origin == .denied: .noRecords
        case .localOnly where value?.isContinued != true: .offline(nil)
        case .localOnly, .fresh, .unchanged: value?.outcome ?? .noRecords
        }
    }
}

extension SearchWindow {
    /// How the search ended, if these are the results of the source.
    package var outcome: SearchOutcome {
        items.isEmpty ? isAfterEnd || total ?? 0 > 0 ? .noMore : .noRecords : .found
    }
}

extension SearchOutcome {
    fileprivate init(failed error: PatchbayError) {
        self =
            switch error.code {
            case _ where error.isNotRecorded: .notRecorded(error)
            case .cancelled: .interrupted
            case .offline: error.status == nil ? .offline(error) : .unavailable(error)
            default: .failed(error)
            }
    }
}

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
    /// Whether the source ran out of time, or an answer of it shows another reason, so that results may be missing.
    public internal(set) var isIncomplete = false
    /// The reason for ``isIncomplete`` that an answer shows; nil when the source ran out of time.
    var shortfall: Shortfall?
    /// The greatest number of results that the source returns for one query, when the list ends because of it.
    public internal(set) var cap: Int64?
    /// The number of results that the source counts and did not return although the search was fetched to its end. Not
    /// nil for a search fetched completely with ``Gateway/searchAll(_:_:from:maximumRequests:)``; otherwise nil when
    /// none are missing.
    public internal(set) var missing: Int64?
    /// Where the items come from.
    public internal(set) var origin = Origin.source

    /// Makes a window without a total, a cap or missing results.
    package init(items: [Item], hasMore: Bool = false, origin: Origin) {
        self.items = items
        self.hasMore = hasMore
        self.origin = origin
    }

    /// The window of an answer without a value: the source was never queried for the text, and no stored row begins
    /// with it.
    package static var unmatched: SearchWindow { SearchWindow(items: [], origin: .local) }

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
