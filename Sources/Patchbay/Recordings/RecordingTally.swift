import Synchronization

/// Counts the exchanges that recorders write.
///
///     let tally = RecordingTally()
///     try await RecordingTally.$current.withValue(tally) { ... }      // opens a gateway and uses it
///     print(tally.exchanges)
public final class RecordingTally: Sendable {
    /// The tally of all sources that are opened in this task.
    @TaskLocal public static var current: RecordingTally?

    private let count = Atomic(0)

    public init() {}

    /// How many exchanges are in files by now.
    public var exchanges: Int { count.load(ordering: .relaxed) }

    func add() { count.add(1, ordering: .relaxed) }
}
