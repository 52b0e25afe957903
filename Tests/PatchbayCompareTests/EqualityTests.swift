import PatchbayCompare
import PatchbayCore
import Synchronization
import Testing

@Suite("Wrong answers are detected")
struct EqualityTests {
    private func comparison(
        _ liar: LyingStorage, isFirst: Bool = false, rows: Int = 1_200, rounds: Int = 1,
        _ workloads: String...
    ) async throws -> Comparison {
        let plugins = [SmallComparison.memory, SmallComparison.plugin("liar", liar)]
        return try await SmallComparison(
            storages: isFirst ? plugins.reversed() : plugins, workloads: workloads, rows: [rows],
            rounds: rounds
        ).run()
    }

    @Test(
        "a storage that drops every 1,000th write is reported with the missing row", arguments: [false, true])
    func dropped(isFirst: Bool) async throws {
        let liar = LyingStorage(.dropsWrites(every: 1_000))
        let comparison = try await comparison(liar, isFirst: isFirst, "load")
        let difference = try #require(comparison.differences.first)
        #expect(difference.key == liar.firstLie.withLock { $0 })
        #expect(difference.workload == "load")
        #expect(difference.field == nil)
        #expect(difference.subject == (isFirst ? "memory" : "liar"))
        #expect(difference.reference == (isFirst ? "liar" : "memory"))
        let truth = isFirst ? difference.found : difference.expected
        #expect(truth == "row \(difference.key)")
        let digests = comparison.results.map(\.digest)
        #expect(digests.count == 2 && digests[0] != digests[1])
    }

    @Test("a storage that returns an old row is reported with key and field")
    func stale() async throws {
        let liar = LyingStorage(.readsStale(every: 7))
        let comparison = try await comparison(liar, rows: 300, "durable-write", "refresh-page")
        let difference = try #require(comparison.differences.first)
        #expect(liar.firstLie.withLock { $0 } != nil && !difference.key.isEmpty)
        #expect(difference.field != nil)
        #expect(difference.expected != difference.found)
        #expect(comparison.isComplete, "a difference is a result, not a failure")
    }

    @Test("a storage that sorts wrongly in every round is reported once, with the misplaced row")
    func sorted() async throws {
        let liar = LyingStorage(.sortsWrongly)
        let comparison = try await comparison(liar, rows: 300, rounds: 3, "prefix-search")
        #expect(comparison.differences.count == 1)
        let difference = try #require(comparison.differences.first)
        #expect(difference.workload == "prefix-search")
        #expect(difference.key == liar.firstLie.withLock { $0 })
        #expect(difference.query.hasPrefix("find users"))
        #expect(difference.field == nil)
    }
}
