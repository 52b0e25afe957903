package import PatchbayCore
import Synchronization

/// Counts the exchanges that recorders write, and keeps the first error of writing one.
///
///     let tally = RecordingTally()
///     try await RecordingTally.$current.withValue(tally) { ... }      // opens a gateway and uses it
///     print(tally.exchanges)
package final class RecordingTally: Sendable {
    /// The tally of all sources opened in this task.
    @TaskLocal package static var current: RecordingTally?

    private let count = Atomic(0)
    private let firstFailure = Mutex<PatchbayError?>(nil)

    /// Creates a tally of zero; set it as ``current`` before opening the sources that it counts.
    package init() {}

    /// The number of exchanges written to files so far.
    package var exchanges: Int { count.load(ordering: .relaxed) }

    /// The first error of writing an exchange, even if the command used stored rows instead.
    package var failure: PatchbayError? { firstFailure.withLock { $0 } }

    func add(_ outcome: Result<Void, PatchbayError>) {
        switch outcome {
        case .success: count.add(1, ordering: .relaxed)
        case .failure(let error): firstFailure.withLock { $0 = $0 ?? error }
        }
    }
}
