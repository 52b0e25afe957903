import PatchbayTestKit
import Testing

@testable import PatchbayCompare

@Suite("The noise rule")
struct NoiseRuleTests {
    @Test("the rank test gives the published probabilities")
    func exactProbabilities() {
        // Two samples apart: 2 of the (n + m over n) orders.
        for (first, second, orders) in [(3, 3, 20.0), (4, 4, 70), (5, 5, 252), (3, 5, 56), (10, 10, 184_756)]
        {
            let low = (0..<first).map { Double($0) }
            let high = (0..<second).map { Double($0 + 100) }
            #expect(abs(RankTest.probability(low, high) - 2 / orders) < 1e-12)
            #expect(abs(RankTest.probabilityMin(first, second) - 2 / orders) < 1e-12)
        }
        // U = 2 of 5 and 5: 4 of 252 orders to each side.
        #expect(abs(RankTest.probability([1, 2, 3, 4, 7], [5, 6, 8, 9, 10]) - 8 / 252) < 1e-12)
        #expect(RankTest.probability([1, 2, 3], [1, 2, 3]) == 1)
    }

    @Test("the rank test does not depend on the order of its samples", arguments: 1...20)
    func symmetry(_ round: Int) {
        var random = SeededGenerator(seed: UInt64(round))
        let first = samples(7, &random)
        let second = samples(4, &random)
        let probabilities = [RankTest.probability(first, second), RankTest.probability(second, first)]
        #expect(abs(probabilities[0] - probabilities[1]) < 1e-12)
        #expect((0...1).contains(probabilities[0]))
    }

    @Test("three rounds that do not overlap are undecided unless they are clearly apart")
    func threeRounds() throws {
        #expect(try verdict([100, 101, 103], [104, 105, 106]) == .undecided)
        #expect(try verdict([6.1, 8.2, 12], [20, 24.8, 34], subjects: 3) == .undecided)
        #expect(try verdict([100, 101, 102], [104, 105, 106]) == .different)
        #expect(try verdict([100, 102, 104], [103, 110, 120]) == .withinNoise)
    }

    @Test("two rounds are undecided, however far apart they are")
    func twoRounds() throws {
        #expect(try verdict([100, 101], [900, 901]) == .undecided)
        #expect(try verdict([100, 101, 102], [900, 901]) == .undecided)
    }

    @Test("less than 2 % is never a difference")
    func irrelevant() throws {
        #expect(
            try verdict([1_000, 1_001, 1_002, 1_003, 1_004], [1_015, 1_016, 1_017, 1_018, 1_019])
                == .withinNoise)
        #expect(
            try verdict([1_000, 1_001, 1_002, 1_003, 1_004], [1_025, 1_026, 1_027, 1_028, 1_029])
                == .different)
    }

    @Test("one outlier among five rounds neither hides nor creates a difference")
    func outlier() throws {
        #expect(try verdict([100, 101, 102, 103, 60], [140, 141, 142, 143, 144]) == .different)
        #expect(try verdict([100, 101, 102, 103, 104], [100.5, 101.5, 102.5, 103.5, 190]) == .withinNoise)
    }

    @Test("more storages need clearer rounds")
    func moreSubjects() throws {
        let (first, second) = (
            [1.0, 2, 3, 4, 6].map { 100 + 5 * $0 }, [5.0, 7, 8, 9, 10].map { 100 + 5 * $0 }
        )
        #expect(try verdict(first, second) == .different)
        #expect(try verdict(first, second, subjects: 5) == .withinNoise)
    }

    /// Counts the workloads in which at least one of several equal storages differs from the best.
    @Test("equal storages differ in at most 7 of 100 workloads", arguments: [3, 4, 5, 7], [2, 3, 6])
    func falsePositives(_ rounds: Int, _ subjects: Int) {
        var random = SeededGenerator(seed: 20_260_101)
        let trials = 1_000
        let rule = NoiseRule(subjects: subjects)
        var wrong = 0
        for _ in 0..<trials {
            let spreads = (0..<subjects).compactMap { _ in Spread(samples(rounds, &random)) }
            guard let best = spreads.max(by: { $0.median < $1.median }) else { continue }
            if spreads.contains(where: { rule.verdict(best, $0) == .different }) { wrong += 1 }
        }
        #expect(wrong <= trials * 7 / 100, "\(wrong) of \(trials)")
    }

    @Test("five rounds with 5 % noise show a difference of 25 % in 95 of 100 cases")
    func power() {
        var random = SeededGenerator(seed: 20_260_102)
        let found = (0..<300).count { _ in
            let slow = samples(5, &random, noise: 0.05)
            let fast = samples(5, &random, noise: 0.05).map { $0 * 1.25 }
            guard let first = Spread(slow), let second = Spread(fast) else { return false }
            return NoiseRule(subjects: 3).verdict(first, second) == .different
        }
        #expect(found >= 285, "\(found) of 300")
    }

    private func verdict(
        _ first: [Double], _ second: [Double], subjects: Int = 2
    ) throws -> NoiseRule.Verdict {
        let spreads = (try #require(Spread(first)), try #require(Spread(second)))
        let verdict = NoiseRule(subjects: subjects).verdict(spreads.0, spreads.1)
        #expect(verdict == NoiseRule(subjects: subjects).verdict(spreads.1, spreads.0))
        return verdict
    }

    /// Around 100, with an occasional disturbed round.
    private func samples(_ count: Int, _ random: inout SeededGenerator, noise: Double = 0.1) -> [Double] {
        (0..<count).map { _ in
            let bell = (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &random) } / 1.15
            let isDisturbed = Int.random(in: 0..<10, using: &random) == 0 && noise > 0.05
            return 100 * (1 + bell * noise) * (isDisturbed ? 0.7 : 1)
        }
    }
}
