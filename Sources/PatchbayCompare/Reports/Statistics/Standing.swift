/// How one subject did in one workload, compared with the others.
package struct Standing: Sendable, Hashable {
    /// How a subject's speed compares with the fastest one.
    package enum Mark: Sendable, Hashable {
        /// The highest speed; subjects marked ``nearBest`` are as fast.
        case best
        /// As fast as the best within 5 %.
        case nearBest
        /// Slower than the best.
        case slower
        /// The rounds do not decide, or only one subject was measured.
        case undecided
        /// Its answers differ from the reference, so its speed does not count.
        case differs
        /// It was not measured, for this reason.
        case unmeasured(String)
    }

    /// The subject's name.
    package let subject: String
    /// The measurements; nil when the subject failed or the comparison was interrupted before.
    package let result: WorkloadResult?
    /// Operations per second, one value per round; nil when nothing was measured.
    package let rate: Spread?
    /// How many times slower it is than the best: 1 for the best, below 1 for a faster subject with wrong answers. Nil
    /// when nothing was measured.
    package let ratio: SpeedRatio?
    package let mark: Mark

    /// The mark in a word or two, the same in every report; empty when nothing was measured.
    package var verdict: String {
        switch mark {
        case .best: "best"
        case .nearBest: "≈ best"
        case .slower: (ratio.map { Quantity.factor($0.times) } ?? "") + " slower"
        case .undecided: "undecided"
        case .differs: "! differs"
        case .unmeasured: ""
        }
    }

    /// The mark in a word for programs.
    var word: String {
        switch mark {
        case .best: "best"
        case .nearBest: "equal"
        case .slower: "slower"
        case .undecided: "undecided"
        case .differs: "differs"
        case .unmeasured: "unmeasured"
        }
    }

    /// The interval of ``ratio``; empty for the best, and where nothing is known.
    package var interval: String { ratio?.interval ?? "" }

    /// The reason why nothing was measured; nil when something was.
    package var reason: String? { if case .unmeasured(let reason) = mark { reason } else { nil } }

    /// The latencies of the round with the median speed, or of the slower of the two middle rounds.
    package var typicalLatencies: Latencies? {
        let rounds = (result?.rounds ?? []).sorted { $0.operationsPerSecond < $1.operationsPerSecond }
        return rounds.isEmpty ? nil : rounds[(rounds.count - 1) / 2].latencies
    }
}
