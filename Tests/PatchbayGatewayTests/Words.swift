import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension AsyncSequence where Failure == Never {
    var all: [Element] {
        get async {
            var elements: [Element] = []
            for await element in self { elements.append(element) }
            return elements
        }
    }
}

extension Outcome {
    /// The outcome as a word, for comparisons.
    var word: String {
        switch self {
        case .stored: "stored"
        case .localOnly: "local only"
        case .fresh: "fresh"
        case .unchanged: "unchanged"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}

extension SyncEnd {
    /// The end as a word, for comparisons.
    var word: String {
        switch self {
        case .complete: "complete"
        case .incomplete(let shortfall): "incomplete: \(shortfall.kind.rawValue)"
        case .interrupted: "interrupted"
        case .limitReached: "limit reached"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}
