import BareEngines
import PatchbayCompare
import PatchbayTestKit
import Testing

@Suite("Bare engines beside storages")
struct BareEngineTests {
    private static let bare = Workload.named.filter(\.isBare).map(\.name)

    @Test("bare engines give the same answers as a storage, and their versions", arguments: [300, 2_500])
    func answers(_ rows: Int) async throws {
        let small = SmallComparison(
            storages: [SmallComparison.memory], engines: [CEngine.sqlite, CEngine.lmdb],
            workloads: Self.bare, rows: [rows], rounds: 2)
        let comparison = try await small.run()
        #expect(comparison.isComplete)
        #expect(comparison.failures.isEmpty && comparison.differences.isEmpty)
        #expect(Self.bare.count == 10)
        #expect(comparison.versions.contains { $0.name == "bare-lmdb" && $0.value.contains("LMDB") })
        for engine in ["bare-sqlite", "bare-lmdb"] {
            let results = comparison.results.filter { $0.subject == engine }
            #expect(results.map(\.workload) == Self.bare)
            #expect(results.allSatisfy { $0.skipped == nil && !$0.rounds.isEmpty })
            #expect(results.allSatisfy { $0.bytesOnDisk ?? 0 > 0 })
        }
        let reads = comparison.results.filter { $0.workload == "prefix-search" }
        #expect(reads.count == 3 && Set(reads.map(\.digest)).count == 1 && reads[0].digest != nil)
    }

    @Test("a bare engine skips what it cannot run")
    func skips() async throws {
        let small = SmallComparison(
            storages: [SmallComparison.memory], engines: [CEngine.lmdb],
            workloads: ["favourites", "first-page"])
        let comparison = try await small.run()
        #expect(comparison.differences.isEmpty)
        let skipped = comparison.results.filter { $0.subject == "bare-lmdb" }
        #expect(!skipped.isEmpty && skipped.allSatisfy { $0.skipped == "needs more than a bare engine" })
    }
}
