import PatchbayCompare
import PatchbayCore
import Synchronization
import Testing

@Suite("Comparing storages")
struct CompareStoragesTests {
    private let pair = [
        SmallComparison.memory, Plugin<any Storage>("other", "more rows in memory") { _ in MemoryStorage() },
    ]

    @Test("every usual workload runs, and honest storages agree in all of them")
    func honest() async throws {
        let names = try ComparedRows.synthetic().workloads(named: []).map(\.name)
        let comparison = try await SmallComparison(storages: pair, workloads: names, rows: [110]).run()
        #expect(comparison.isComplete)
        #expect(comparison.differences.isEmpty, "\(comparison.differences)")
        #expect(comparison.failures.isEmpty, "\(comparison.failures)")
        #expect(comparison.results.map(\.workload) == names.flatMap { [$0, $0] })
        for result in comparison.results {
            let other = comparison.results.first {
                $0.workload == result.workload && $0.subject != result.subject
            }
            #expect(result.digest == other?.digest, "\(result.workload)")
            guard result.skipped == nil else {
                #expect(["open", "first-page", "cold-start"].contains(result.workload))
                continue
            }
            #expect(result.digest != nil, "\(result.workload) compares nothing")
            let round = try #require(result.rounds.first)
            #expect(round.operations > 0 && round.seconds > 0)
            #expect(round.latencies.buckets.reduce(0) { $0 + $1.count } == round.operations)
        }
    }

    @Test("the same seed runs the same operations, another seed others")
    func seeds() async throws {
        let names = ["load", "prefix-search", "refresh-page", "durable-write"]
        func digests(_ seed: UInt64) async throws -> [String?] {
            try await SmallComparison(
                storages: [SmallComparison.memory], workloads: names, rounds: 2, seed: seed
            ).run().results.map(\.digest)
        }
        let first = try await digests(3)
        #expect(first == (try await digests(3)))
        for (one, other) in zip(first, try await digests(4)) { #expect(one != other) }
    }

    @Test("every number of rows is measured in the requested rounds")
    func roundsAndRows() async throws {
        let comparison = try await SmallComparison(
            storages: pair, workloads: ["load", "favourites"], rows: [100, 250], rounds: 4
        ).run()
        #expect(comparison.results.map(\.rows) == [100, 100, 100, 100, 250, 250, 250, 250])
        #expect(comparison.results.allSatisfy { $0.rounds.count == 4 })
    }

    @Test(
        "without requested rounds, each workload ends with its part of the time, or as soon as it is decided")
    func limitOfTime() async throws {
        var small = SmallComparison(
            storages: pair, workloads: ["load", "get-key", "favourites", "durable-write"], rows: [100])
        small.rounds = nil
        for seconds in [0, 1.0] {
            small.seconds = seconds
            let start = ContinuousClock.now, comparison = try await small.run()
            let counts = comparison.results.map(\.rounds.count)
            #expect(comparison.isComplete && counts.count == 8)
            if seconds == 0 {
                #expect(counts.allSatisfy { $0 == 1 })
                #expect(comparison.isUndecided)
                continue
            }
            #expect(counts.allSatisfy { (1...24).contains($0) })
            // A busy machine may take some more for what cannot be divided.
            #expect(ContinuousClock.now - start < .seconds(20))
            for group in comparison.groups where !group.standings.contains(where: { $0.mark == .undecided }) {
                let rounds = group.standings.compactMap { $0.result?.rounds.count }
                #expect(Set(rounds).count == 1 && rounds[0] >= 2)
            }
        }
    }

    @Test("a failing storage is reported with its workload, and the others continue")
    func failing() async throws {
        let failing = Plugin<any Storage>("failing", "cannot be opened") { _ in
            throw PatchbayError(.storageFull, "the disk is full; free some space")
        }
        let comparison = try await SmallComparison(
            storages: [failing, SmallComparison.memory], workloads: ["favourites"]
        ).run()
        #expect(!comparison.isComplete)
        let failure = try #require(comparison.failures.first)
        #expect(failure.subject == "failing" && failure.workload == "load" && failure.rows == 300)
        #expect(failure.code == .storageFull && failure.message == "the disk is full; free some space")
        #expect(comparison.results.map(\.subject) == ["memory"])
        #expect(comparison.results.allSatisfy { $0.rounds.count == 1 })
    }

    @Test("an interrupted comparison keeps its measurements and is not complete")
    func interrupted() async throws {
        let asked = Mutex(0)
        var small = SmallComparison(storages: pair, workloads: ["load", "favourites", "scan"], rounds: 3)
        small.isInterrupted = {
            asked.withLock {
                $0 += 1; return $0 > 14
            }
        }
        let comparison = try await small.run()
        #expect(!comparison.isComplete)
        #expect(comparison.failures.isEmpty)
        let rounds = comparison.results.reduce(0) { $0 + $1.rounds.count }
        #expect((1..<18).contains(rounds))
        #expect(comparison.results.first?.workload == "load")
    }

    @Test("invalid settings are refused before anything is created")
    func refused() async throws {
        for rows in [0, -1, 99, 100_000_001] {
            await #expect(throws: PatchbayError.self, "\(rows)") {
                try await SmallComparison(storages: pair, workloads: ["load"], rows: [rows]).run()
            }
        }
        let error = await #expect(throws: PatchbayError.self) {
            try await SmallComparison(storages: pair, workloads: ["get-kei"]).run()
        }
        #expect(error?.message.contains("did you mean \"get-key\"?") == true)
    }

    @Test("the comparison contains the version of each storage's engine")
    func versions() async throws {
        let comparison = try await SmallComparison(storages: pair, workloads: ["load"]).run()
        #expect(comparison.versions.first == NameAndValue("patchbay", PatchbayVersion.current))
        #expect(comparison.versions.contains(NameAndValue("memory", "memory")))
        #expect(comparison.machine.cores > 0 && comparison.machine.memoryBytes > 0)
    }
}
