public import PatchbayCore
public import PatchbayDomain

/// How a search has ended, for people. The exact error stands beside the sentence.
public enum SearchOutcome: Sendable {
    case found
    /// The source found nothing, now or a while ago.
    case noRecords
    /// The search found something, but less than the pages before this one hold.
    case noMore
    /// The source could not be reached or could not answer now, or was not to be asked (nil). What is stored may be
    /// shown.
    case offline(PatchbayError?)
    /// Anything else that went wrong. What is stored may be shown.
    case failed(PatchbayError)

    /// The sentence to show; nil when there are results to show.
    public func sentence(about subject: SearchSubject = .users) -> String? {
        switch self {
        case .found: nil
        case .noRecords: "No records found"
        case .noMore: "No more records"
        case .offline(nil): "Only stored \(subject.rawValue) were searched; the source was not asked."
        case .offline(let error?) where error.context["status"] != nil:
            "The source cannot answer at the moment. Please search \(subject.rawValue) again later."
        case .offline: "No internet connection. Please search \(subject.rawValue) when online."
        case .failed: "Something went wrong!"
        }
    }
}

extension Answer {
    /// How the search has ended; nil while the source is being asked.
    public func searchOutcome<Item>() -> SearchOutcome? where Value == SearchWindow<Item> {
        switch outcome {
        case .stored: nil
        case .failed(let error): error.code == .offline ? .offline(error) : .failed(error)
        case .localOnly where value?.origin == .denied: .noRecords
        case .localOnly where value?.isContinued != true: .offline(nil)
        case .localOnly, .fresh, .unchanged: value?.outcome ?? .noRecords
        }
    }
}

extension SearchWindow {
    fileprivate var outcome: SearchOutcome {
        items.isEmpty ? isBehindEnd ? .noMore : .noRecords : .found
    }
}
