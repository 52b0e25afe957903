public import PatchbayCore
public import PatchbayDomain

/// How a search has ended, for people. The exact error stands beside the sentence.
public enum SearchOutcome: Sendable {
    case found
    /// The source found nothing, now or a while ago.
    case noRecords
    /// The source could not be reached, or was not to be asked (nil). What is stored may be shown.
    case offline(PatchbayError?)
    /// The source is a recording, which does not contain this search. What is stored may be shown.
    case notRecorded(PatchbayError)
    /// Anything else that went wrong. What is stored may be shown.
    case failed(PatchbayError)

    /// The sentence to show; nil when there are results to show.
    public func sentence(about subject: SearchSubject = .users) -> String? {
        switch self {
        case .found: nil
        case .noRecords: "No records found"
        case .offline(nil): "Only stored \(subject.rawValue) were searched; the source was not asked."
        case .offline: "No internet connection. Please search \(subject.rawValue) when online."
        case .notRecorded:
            "The recording does not contain this search; only stored \(subject.rawValue) were searched."
        case .failed: "Something went wrong!"
        }
    }
}

extension Answer {
    /// How the search has ended; nil while the source is being asked.
    public func searchOutcome<Item>() -> SearchOutcome? where Value == SearchWindow<Item> {
        switch outcome {
        case .stored: nil
        case .failed(let error) where error.isNotRecorded: .notRecorded(error)
        case .failed(let error): error.code == .offline ? .offline(error) : .failed(error)
        case .localOnly: value?.origin == .denied ? .noRecords : .offline(nil)
        case .fresh, .unchanged: value?.items.isEmpty == false ? .found : .noRecords
        }
    }
}
