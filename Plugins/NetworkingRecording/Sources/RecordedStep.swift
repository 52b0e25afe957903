import PatchbayCore
import Synchronization

/// Chooses the recorded answer to the first request that is sent with it, or only looks which there are.
///
/// A request that was recorded several times gets its answers in order. The pages of a list must also fit together, and
/// only the source knows which page follows which, so that it chooses.
package final class RecordedStep: Sendable {
    /// The step of the current task; nil when answers are returned in order.
    @TaskLocal package static var current: RecordedStep?

    /// What a request gets.
    package enum Choice: Hashable, Sendable {
        /// An error, after a look at the answers that it has.
        case look
        /// The answer that was recorded at this moment.
        case answer(Int)
    }

    private let choice: Choice
    private let state = Mutex<[RecordedMoment]>([])

    /// Creates a step for one request.
    package init(_ choice: Choice) { self.choice = choice }

    /// The successful answers to the request that was looked at, with all sizes and orders of pages, in the order of
    /// their moments; empty before one was sent.
    package var answers: [RecordedMoment] { state.withLock { $0 } }

    /// Returns the chosen answer; nil when the request is not the one that the choice is for.
    func answer(to key: RequestKey, in index: RecordingIndex) throws -> (group: Int, position: Int)? {
        let family = index.family(of: key)
        switch choice {
        case .look:
            state.withLock { $0 = index.moments(of: key, in: family) }
            throw PatchbayError(.cancelled, "the request was only looked at")
        case .answer(let moment):
            for group in family {
                let position = index.groups[group].entries.firstIndex { $0.moment == moment }
                if let position { return (group, position) }
            }
            return nil
        }
    }
}

/// A recorded answer, described by what has to fit together in a list.
package struct RecordedMoment: Hashable, Sendable {
    /// Its place among all answers of the recording.
    package let number: Int
    /// A digest of the credentials with which it was requested; nil when none were recorded.
    let account: Int?
    /// The size and the order of the page, where the request stated them.
    let variant: [QueryItem]
    /// The number of rows in the page, where the request stated it; otherwise 0.
    package let pageRows: Int
    /// Whether the request was recorded as the source sends it.
    package let isExact: Bool

    /// Whether both were requested with the same size and order.
    package func isSameVariant(as other: RecordedMoment) -> Bool {
        variant == other.variant && isExact == other.isExact
    }

    /// Whether both may be pages of one list: of the same account, and with the same size and order.
    package func fits(_ other: RecordedMoment) -> Bool {
        guard account == nil || other.account == nil || account == other.account else { return false }
        return variant.allSatisfy { item in
            other.variant.allSatisfy { $0.name != item.name || $0.value == item.value }
        }
    }
}

extension RecordingIndex {
    /// The successful answers of groups in the order of their moments.
    fileprivate func moments(of key: RequestKey, in family: [Int]) -> [RecordedMoment] {
        family.flatMap { group in
            let recorded = groups[group].key
            return groups[group].entries.filter(\.isSuccess).map {
                RecordedMoment(
                    number: $0.moment, account: $0.account, variant: variant(of: recorded),
                    pageRows: pageRows(of: recorded), isExact: recorded == key)
            }
        }.sorted { $0.number < $1.number }
    }
}
