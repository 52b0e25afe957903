import PatchbayCompare
import Testing

@Suite("Storages side by side in one workload")
struct ResultGroupTests {
    @Test("the fastest storage is best, equally fast ones are marked, the others are slower")
    func marks() throws {
        let group = try group("get-handle", MadeUp().comparison())
        #expect(group.standings.map(\.subject) == ["sqlite", "lmdb", "flatfile"])
        #expect(group.standings[0].mark == .slower)
        #expect(Set(group.standings[1...].map(\.mark)) == [.best, .nearBest])
        #expect((4...5).contains(try #require(group.standings[0].ratio).times))
    }

    @Test("a subject whose answers differ is never best")
    func liars() throws {
        var comparison = MadeUp().comparison()
        for index in comparison.results.indices where comparison.results[index].subject == "lmdb" {
            comparison.results[index].digest = "other"
        }
        let group = try group("get-key", comparison)
        #expect(group.standings[1].mark == .differs)
        #expect(group.best?.subject == "flatfile")
        #expect(try #require(group.standings[1].ratio).times < 1)
    }

    @Test("one round leaves every storage undecided")
    func oneRound() throws {
        var madeUp = MadeUp()
        madeUp.rounds = 1
        let group = try group("get-key", madeUp.comparison())
        #expect(group.standings.allSatisfy { $0.mark == .undecided })
        #expect(group.best == nil)
    }

    @Test("a missing measurement has a reason")
    func unmeasured() throws {
        let open = try group("open", MadeUp.damaged())
        #expect(open.standings[1].mark == .unmeasured("the worker ended by signal 9"))
        #expect(open.standings[2].mark == .unmeasured("keeps no files"))
        #expect(open.standings[0].mark == .undecided)
        var early = MadeUp().comparison()
        early.isComplete = false
        early.results.removeAll { $0.subject == "lmdb" && $0.workload == "open" }
        #expect(try group("open", early).standings[1].mark == .unmeasured("not measured before the end"))
    }

    @Test("the typical latencies are those of the round with the median speed")
    func typicalLatencies() throws {
        let standing = try group("load", MadeUp().comparison()).standings[0]
        let rate = try #require(standing.rate)
        let round = try #require(standing.result?.rounds.first { $0.operationsPerSecond == rate.median })
        #expect(standing.typicalLatencies == round.latencies)
    }

    private func group(_ workload: String, _ comparison: Comparison) throws -> ResultGroup {
        try #require(comparison.largestGroups.first { $0.workload == workload })
    }
}
