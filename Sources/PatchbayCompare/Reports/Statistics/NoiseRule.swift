/// Decides whether two storages differ, or whether what is between them may be noise.
///
/// The rule, for the rounds of one workload:
///
/// 1. Fewer than three rounds of either decide nothing.
/// 2. Medians less than 2 % apart do not differ, whatever the rounds say: nobody would notice.
/// 3. They differ when chance would order their rounds so only once in 20 workloads: the rank test of Mann and
///    Whitney, two-sided and exact, with its 5 % shared out among all pairs of the workload's storages. More
///    storages therefore need clearer rounds.
/// 4. Where so few rounds can never be as clear as that, all rounds of the one must lie beyond all rounds of the
///    other, and by no less than the width of the wider ones. Three rounds, the usual number, are judged so.
///
/// Everything else is within the noise. `NoiseRuleTests` measures how often equal storages are told apart.
package struct NoiseRule: Sendable, Hashable {
    /// What the rounds of two storages say.
    package enum Verdict: Sendable, Hashable {
        /// There are too few rounds.
        case undecided
        case withinNoise
        case different
    }

    /// Fewer rounds decide nothing.
    package static let roundsMin = 3
    /// Medians closer than this part of the smaller do not differ.
    package static let relevantDifferenceMin = 0.02
    /// How often a workload may show a difference where there is none.
    package static let falsePositiveMax = 0.05

    /// How many storages were measured and could have been the best.
    package let subjects: Int

    /// - Parameter subjects: how many storages the workload compares; at least 2 are assumed.
    package init(subjects: Int) { self.subjects = max(2, subjects) }

    /// What the rounds of two storages say about them; the order of the two does not matter.
    package func verdict(_ first: Spread, _ second: Spread) -> Verdict {
        let rounds = (first.values.count, second.values.count)
        guard min(rounds.0, rounds.1) >= NoiseRule.roundsMin else { return .undecided }
        guard isRelevant(first.median, second.median) else { return .withinNoise }
        guard RankTest.probabilityMin(rounds.0, rounds.1) <= falsePositiveMax else {
            return isFarApart(first, second) ? .different : .withinNoise
        }
        let probability = RankTest.probability(first.values, second.values)
        return probability <= falsePositiveMax ? .different : .withinNoise
    }

    /// What is left of the 5 % for one pair.
    private var falsePositiveMax: Double {
        NoiseRule.falsePositiveMax / Double(subjects * (subjects - 1) / 2)
    }

    private func isRelevant(_ first: Double, _ second: Double) -> Bool {
        abs(first - second) >= NoiseRule.relevantDifferenceMin * min(abs(first), abs(second))
    }

    private func isFarApart(_ first: Spread, _ second: Spread) -> Bool {
        let gap = max(first.lowest - second.highest, second.lowest - first.highest)
        return gap > 0 && gap >= max(first.width, second.width)
    }
}
