import Synchronization

/// Counts the exchanges that recorders write.
///
///     let tally = RecordingTally()
///     try await RecordingTally.$current.withValue(tally) { ... }      // opens a gateway and uses it
///     print(tally.exchanges)
package final class RecordingTally: Sendable {
    /// The tally of all sources opened in this task.
    @TaskLocal package static var current: RecordingTally?

    private let count = Atomic(0)

    /// Creates a tally of zero; set it as ``current`` before opening the sources that it counts.
    package init() {}

    /// The number of exchanges written to files so far.
    package var exchanges: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}
