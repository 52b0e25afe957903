import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayCompare

@Suite("The ratio of two speeds")
struct SpeedRatioTests {
    @Test("Student's t has the published bounds")
    func published() {
        let bounds = [
            (0.05, 1, 12.7062), (0.05, 2, 4.3027), (0.01, 4, 4.6041), (0.05, 10, 2.2281), (0.002, 15, 3.7328),
            (0.001, 30, 3.6460),
        ]
        for (probability, degrees, bound) in bounds {
            #expect(abs(StudentT.bound(probability, degrees: degrees) - bound) < 1e-4)
        }
    }

    @Test("the interval is that of the pairs of rounds, not of all rounds")
    func pairs() throws {
        // A machine that becomes three times slower, for both.
        let first = [900, 600, 450, 300.0], second = [450, 303, 224, 149.0]
        let ratio = try #require(self.ratio(of: second, to: first))
        #expect((1.98...2.02).contains(ratio.times))
        #expect(ratio.low > 1.94 && ratio.high < 2.06)
        #expect(ratio.verdict == .different)
        let other = try #require(self.ratio(of: first, to: second))
        #expect(abs(other.low - 1 / ratio.high) < 1e-12 && abs(other.high - 1 / ratio.low) < 1e-12)
        #expect(other.verdict == .different)
    }

    @Test("one disturbed round in five changes nothing")
    func disturbed() throws {
        let base = [100, 101, 99, 100, 102, 100.0], slower = [50, 51, 49, 4, 51, 50.0]
        let ratio = try #require(self.ratio(of: slower, to: base))
        #expect((1.95...2.05).contains(ratio.times) && ratio.verdict == .different)
    }

    @Test("one pair decides nothing, and no pair has no ratio")
    func few() throws {
        let one = try #require(ratio(of: [100], to: [900]))
        #expect(one.verdict == .undecided && one.interval == nil)
        #expect(abs(one.times - 9) < 1e-12)
        #expect(ratio(of: [], to: [900]) == nil)
        #expect(ratio(of: [0], to: [900]) == nil)
    }

    @Test("an interval within 5 % is equal, one beyond 5 % different, and any other undecided")
    func verdicts() throws {
        let base = [100, 100, 100, 100.0]
        #expect(try #require(ratio(of: [96, 94, 95, 96], to: base)).verdict == .undecided)
        #expect(try #require(ratio(of: [97, 97.5, 97, 97.5], to: base)).verdict == .equal)
        #expect(try #require(ratio(of: [99, 108, 93, 101], to: base)).verdict == .undecided)
        #expect(try #require(ratio(of: [90, 90.5, 90, 90.5], to: base)).verdict == .different)
    }

    @Test("a workload with a tolerance calls a storage slower only beyond it, after seven pairs")
    func tolerance() throws {
        let cases: [(speed: Double, pairs: Int, verdict: SpeedRatio.Verdict)] = [
            (72, 7, .undecided), (60, 7, .different), (60, 6, .undecided), (100.5, 4, .equal),
        ]
        for (speed, pairs, verdict) in cases {
            let rounds = (0..<pairs).map { round(speed + 0.4 * Double($0 % 2)) }
            let base = rounds.map { _ in round(100) }
            for (slower, faster) in [(rounds, base), (base, rounds)] {
                let ratio = try #require(
                    SpeedRatio(of: slower, to: faster, subjects: 2, looks: 5, tolerance: 1.5))
                #expect(ratio.verdict == verdict, "\(speed), \(pairs) pairs")
            }
        }
    }

    @Test("more storages and more looks need clearer rounds")
    func confidence() throws {
        let base = [100, 100, 100, 100.0], slower = [78, 88, 81, 90.0]
        #expect(try #require(ratio(of: slower, to: base, subjects: 2, looks: 1)).verdict == .different)
        #expect(try #require(ratio(of: slower, to: base, subjects: 2, looks: 5)).verdict == .undecided)
        #expect(try #require(ratio(of: slower, to: base, subjects: 5, looks: 1)).verdict == .undecided)
    }

    @Test("the interval is text with three digits; that of a storage and itself is empty")
    func text() throws {
        #expect(
            try #require(ratio(of: [50, 49, 50, 49], to: [100, 100, 100, 100])).interval == "1.95–2.09×")
        #expect(try #require(ratio(of: [50, 49], to: [50, 49])).interval == nil)
    }

    /// Counts the workloads that end with a difference between equal storages, each after the look that decides it or
    /// when its time is over.
    @Test("equal storages differ in at most 5 of 100 workloads", arguments: [2, 3, 6], [0.02, 0.2])
    func misses(_ subjects: Int, _ noise: Double) {
        var random = SeededGenerator(seed: 20_260_101)
        let trials = 600
        let wrong = (0..<trials).count { _ in
            let timeOver = Int.random(in: 1...24, using: &random)
            return outcome(subjects, timeOver, noise, &random).contains { $0.mark == .slower }
        }
        #expect(wrong <= trials * 5 / 100, "\(wrong) of \(trials)")
    }

    @Test(
        "a difference of 25 % is found within 24 rounds of 5 % noise, one of 50 % also among disturbed ones",
        arguments: [(1.25, 0.05), (1.5, 0.1)])
    func power(_ lead: Double, _ noise: Double) {
        var random = SeededGenerator(seed: 20_260_102)
        let found = (0..<300).count { _ in
            let standings = outcome(3, 24, noise, lead: lead, &random)
            return standings[0].mark == .best && standings[1...].allSatisfy { $0.mark == .slower }
        }
        #expect(found >= 280, "\(found) of 300")
    }

    @Test("storages that are equal are called equal in 90 of 100 workloads with 2 % noise")
    func equal() {
        var random = SeededGenerator(seed: 20_260_103)
        let found = (0..<300).count { _ in
            outcome(2, 24, 0.02, &random).allSatisfy { $0.mark == .best || $0.mark == .nearBest }
        }
        #expect(found >= 270, "\(found) of 300")
    }

    private func ratio(
        of slower: [Double], to faster: [Double], subjects: Int = 2, looks: Int = 5
    ) -> SpeedRatio? {
        SpeedRatio(of: slower.map(round), to: faster.map(round), subjects: subjects, looks: looks)
    }

    private func round(_ speed: Double) -> Round { Round(operations: 1_000, seconds: 1_000 / speed) }

    /// The standings in a workload that ends as soon as a look decides it, or when its time is over.
    ///
    /// - Parameter lead: how many times faster the first storage is.
    private func outcome(
        _ subjects: Int, _ timeOver: Int, _ noise: Double, lead: Double = 1,
        _ random: inout SeededGenerator
    ) -> [Standing] {
        var comparison = Comparison(
            settings: CompareSettings(
                rows: [1_000], workloads: ["get-key"], seconds: 60, threads: 1, seed: 1, durability: nil,
                startedAt: Timestamp(milliseconds: 0)))
        comparison.subjects = (0..<subjects).map { Subject(name: "\($0)", storage: "memory", settings: []) }
        var results = comparison.subjects.map { WorkloadResult(workload: "get-key", subject: $0.name) }
        for number in 1...timeOver {
            // A moment that slows all, and disturbances of single rounds.
            let moment = Double.random(in: 0.5...1, using: &random)
            for index in results.indices {
                let speed = 1_000 * moment * (index == 0 ? lead : 1)
                results[index].rounds.append(round(speed * disturbance(noise, &random)))
            }
            guard CompareSettings.looks.contains(number) || number == timeOver else { continue }
            let group = comparison.group(results)
            if group.isDecided || number == timeOver { return group.standings }
        }
        return []
    }

    /// A factor with bell-shaped noise, and rarely a disturbed round.
    private func disturbance(_ noise: Double, _ random: inout SeededGenerator) -> Double {
        let bell = (0..<4).reduce(0) { sum, _ in sum + Double.random(in: -1...1, using: &random) } / 1.15
        let isDisturbed = noise > 0.05 && Int.random(in: 0..<10, using: &random) == 0
        return max(0.05, 1 + bell * noise) * (isDisturbed ? 0.4 : 1)
    }
}
