/// Decides whether two storages differ in a workload, or whether the difference may be noise.
///
/// 1. With fewer than three rounds of either storage the rule is undecided.
/// 2. Medians less than 2 % apart are within the noise, whatever the rounds show, because such a difference does not
///    matter in practice.
/// 3. Two storages differ when chance alone would order their rounds like this in at most one of 20 workloads. The test
///    is the rank test of Mann and Whitney, two-sided and exact. Its 5 % are divided among all pairs of storages, so
///    more storages need clearer rounds.
/// 4. Three rounds, and four or five between several storages, can never reach that. There two storages differ when
///    all rounds of one lie beyond all rounds of the other by at least the range of the more scattered storage. Rounds
///    that do not overlap but lie closer leave the rule undecided: more rounds would decide.
///
/// Everything else is within the noise. `NoiseRuleTests` measures how often the rule separates equal storages.
package struct NoiseRule: Sendable, Hashable {
    /// The relation between the rounds of two storages.
    package enum Verdict: Sendable, Hashable {
        /// There are too few rounds.
        case undecided
        case withinNoise
        case different
    }

    /// With fewer rounds the rule is undecided.
    package static let roundsMin = 3
    /// Medians that differ by a smaller part of the smaller one are within the noise.
    package static let relevantDifferenceMin = 0.02
    /// The highest accepted share of workloads that show a difference between equal storages.
    package static let falsePositiveMax = 0.05

    /// The number of storages that were measured and gave the right answers.
    package let subjects: Int

    /// - Parameter subjects: the number of storages that the workload compares; 1 counts as 2.
    package init(subjects: Int) { self.subjects = max(2, subjects) }

    /// Compares the rounds of two storages; their order does not matter.
    package func verdict(_ first: Spread, _ second: Spread) -> Verdict {
        let rounds = (first.values.count, second.values.count)
        guard min(rounds.0, rounds.1) >= NoiseRule.roundsMin else { return .undecided }
        guard NoiseRule.isRelevant(first.median, second.median) else { return .withinNoise }
        guard RankTest.probabilityMin(rounds.0, rounds.1) <= falsePositiveMax else {
            let gap = max(first.lowest - second.highest, second.lowest - first.highest)
            if gap <= 0 { return .withinNoise }
            return gap >= max(first.width, second.width) ? .different : .undecided
        }
        let probability = RankTest.probability(first.values, second.values)
        return probability <= falsePositiveMax ? .different : .withinNoise
    }

    /// The part of the 5 % that one pair gets.
    private var falsePositiveMax: Double {
        NoiseRule.falsePositiveMax / Double(subjects * (subjects - 1) / 2)
    }

    /// Whether the difference between two medians matters in practice.
    static func isRelevant(_ first: Double, _ second: Double) -> Bool {
        abs(first - second) >= relevantDifferenceMin * min(abs(first), abs(second))
    }
}
