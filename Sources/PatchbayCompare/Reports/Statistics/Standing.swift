/// Where one subject stands in one workload, beside the others.
package struct Standing: Sendable, Hashable {
    /// What the rounds say about a subject's speed.
    package enum Mark: Sendable, Hashable {
        /// No other is as fast; those marked ``nearBest`` cannot be told from it.
        case best
        /// Not to be told from the best: the difference is within the noise.
        case nearBest
        /// Slower than the best, and by more than noise.
        case behind
        /// There are too few rounds, or nothing to compare with.
        case undecided
        /// It answered otherwise than the reference; how fast it did so does not count.
        case differs
        /// It was not measured, for this reason.
        case unmeasured(String)
    }

    /// The subject's name.
    package let subject: String
    /// What was measured; nil when it failed or was interrupted before.
    package let result: WorkloadResult?
    /// Operations a second, a value a round; nil when nothing was measured.
    package let rate: Spread?
    /// How many times as fast the fastest one is, by the medians: 1 for itself, below 1 for one whose answers differ
    /// and who was faster. Nil when nothing was measured.
    package let timesSlower: Double?
    package let mark: Mark

    /// The time of one operation in seconds, a value a round.
    package var cost: Spread? {
        result.flatMap { result in
            Spread(result.rounds.filter { $0.operations > 0 }.map { $0.seconds / Double($0.operations) })
        }
    }

    /// The latencies of the round whose speed is the median; with an even number of rounds, of the slower one.
    package var typicalLatencies: Latencies? {
        let rounds = (result?.rounds ?? []).sorted { $0.operationsPerSecond < $1.operationsPerSecond }
        return rounds.isEmpty ? nil : rounds[(rounds.count - 1) / 2].latencies
    }
}
