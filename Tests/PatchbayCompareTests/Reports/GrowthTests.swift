import PatchbayCompare
import Testing

@Suite("Growth of the cost with the rows")
struct GrowthTests {
    @Test("a lookup grows no faster than the logarithm, a full walk grows as the rows do")
    func verdicts() throws {
        let growths = MadeUp().comparison().growths
        #expect(growths.count == 21)
        #expect(try growth("get-key", "lmdb", growths).verdict == .withinLogarithm)
        #expect(try growth("prefix-search", "flatfile", growths).verdict == .beyondLogarithm)
        let open = try growth("open", "flatfile", growths)
        #expect(open.verdict == .linear)
        #expect((900...1_100).contains(open.factor))
        #expect(abs(open.exponent - 1) < 0.02)
        #expect(abs(open.logarithmFactor - 2) < 1e-9)
    }

    @Test("noise as wide as the logarithm leaves the growth undecided")
    func noise() throws {
        var madeUp = MadeUp()
        madeUp.rows = [10_000, 100_000]
        madeUp.noise = 0.3
        #expect(try growth("get-key", "lmdb", madeUp.comparison().growths).verdict == .undecided)
        madeUp.noise = 0.02
        #expect(try growth("get-key", "lmdb", madeUp.comparison().growths).verdict == .withinLogarithm)
    }

    @Test("two rounds leave the growth undecided")
    func twoRounds() {
        var madeUp = MadeUp()
        madeUp.rounds = 2
        #expect(madeUp.comparison().growths.allSatisfy { $0.verdict == .undecided })
    }

    @Test("a step in the middle counts, although the ends look flat")
    func step() throws {
        var comparison = MadeUp().comparison()
        for index in comparison.results.indices where comparison.results[index].rows == 10_000 {
            for round in comparison.results[index].rounds.indices {
                comparison.results[index].rounds[round].seconds *= 5
            }
        }
        #expect(try growth("get-key", "sqlite", comparison.growths).verdict > .undecided)
    }

    @Test("one number of rows and wrong answers have no growth")
    func none() {
        var madeUp = MadeUp()
        madeUp.rows = [1_000]
        #expect(madeUp.comparison().growths.isEmpty)
        let damaged = MadeUp.damaged().growths
        #expect(!damaged.contains { $0.workload == "get-login" && $0.subject == "flatfile" })
        #expect(damaged.contains { $0.workload == "get-login" && $0.subject == "lmdb" })
    }

    @Test("the reference line doubles from a thousand to a million rows")
    func reference() throws {
        let growth = try growth("get-key", "lmdb", MadeUp().comparison().growths)
        let first = growth.points[0].cost.median
        #expect(abs(growth.logarithmicCost(at: 1_000) - first) < first * 1e-9)
        #expect(abs(growth.logarithmicCost(at: 1_000_000) - 2 * first) < first * 1e-9)
    }

    private func growth(_ workload: String, _ subject: String, _ growths: [Growth]) throws -> Growth {
        try #require(growths.first { $0.workload == workload && $0.subject == subject })
    }
}
