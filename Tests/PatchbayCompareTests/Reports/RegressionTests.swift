import PatchbayCompare
import Testing

@Suite("A comparison against a baseline")
struct RegressionTests {
    @Test("the same counts are not a regression, even when everything is slower")
    func same() {
        var later = MadeUp()
        later.seed = 7
        var slow = later.comparison()
        for index in slow.results.indices {
            for round in slow.results[index].rounds.indices { slow.results[index].rounds[round].seconds *= 3 }
        }
        let regression = Regression(of: slow, since: MadeUp().comparison())
        #expect(!regression.isRegressed)
        #expect(regression.improvements.isEmpty)
        #expect(regression.speeds.count == slow.results.count)
        #expect(regression.speeds.allSatisfy { !$0.isBetter })
        #expect(regression.notes.isEmpty)
        #expect(regression.comparedCount == slow.results.count)
    }

    @Test("a regression names the counts before and after")
    func counts() throws {
        var now = MadeUp().comparison()
        let index = try #require(
            now.results.firstIndex { $0.workload == "durable-write" && $0.subject == "sqlite" })
        for round in now.results[index].rounds.indices {
            now.results[index].rounds[round].writeCalls? *= 2
            now.results[index].rounds[round].writtenBytes? *= 3
        }
        now.results[index].bytesOnDisk? += 1_000_000
        let regression = Regression(of: now, since: MadeUp().comparison())
        #expect(regression.regressions.map(\.measure) == [.bytesOnDisk, .writtenBytes, .writeCalls])
        #expect(
            regression.regressions.map(\.description) == [
                "durable-write, 1,000 rows, sqlite: bytes on disk 310 kB → 1.31 MB (4.23×, allowed 1.05×)",
                "durable-write, 1,000 rows, sqlite: bytes written per operation 12.4 kB → 37.2 kB (3×, allowed 1.1×)",
                "durable-write, 1,000 rows, sqlite: write calls per operation 3 → 6 (2×, allowed 1.1×)",
            ])
        let back = Regression(of: MadeUp().comparison(), since: now)
        #expect(!back.isRegressed)
        #expect(back.improvements.map(\.measure) == [.bytesOnDisk, .writtenBytes, .writeCalls])
    }

    @Test("changes within the tolerance are neither better nor worse")
    func tolerance() throws {
        var now = MadeUp().comparison()
        for index in now.results.indices {
            now.results[index].bytesOnDisk = now.results[index].bytesOnDisk.map { $0 + min($0 / 25, 60_000) }
            for round in now.results[index].rounds.indices {
                let bytes = now.results[index].rounds[round].writtenBytes
                now.results[index].rounds[round].writtenBytes = bytes.map { $0 + $0 / 12 }
            }
        }
        let regression = Regression(of: now, since: MadeUp().comparison())
        #expect(regression.regressions.isEmpty)
        #expect(regression.improvements.isEmpty)
    }

    @Test("other answers are a regression, unless the settings differ")
    func answers() {
        var now = MadeUp().comparison()
        now.results[0].digest = "deadbeef"
        let regression = Regression(of: now, since: MadeUp().comparison())
        #expect(regression.regressions.map(\.measure) == [.answers])
        now.settings.seed = 8
        let other = Regression(of: now, since: MadeUp().comparison())
        #expect(!other.isRegressed)
        #expect(other.notes == ["the answers were not compared: seed was \"7\" and is \"8\""])
    }

    @Test("a missing measurement is a regression, a workload that was not requested is not")
    func missing() {
        var now = MadeUp().comparison()
        now.results.removeAll { $0.workload == "open" && $0.subject == "lmdb" && $0.rows == 1_000 }
        let regression = Regression(of: now, since: MadeUp().comparison())
        #expect(regression.regressions.map(\.measure) == [.measured])
        now.results.removeAll { $0.workload == "open" }
        now.settings.workloads.removeAll { $0 == "open" }
        #expect(!Regression(of: now, since: MadeUp().comparison()).isRegressed)
    }

    @Test("unknown counts are skipped, and another machine is noted")
    func unknown() {
        var now = MadeUp().comparison()
        for index in now.results.indices {
            for round in now.results[index].rounds.indices {
                now.results[index].rounds[round].writeCalls = nil
            }
        }
        now.machine.cores = 64
        let regression = Regression(of: now, since: MadeUp().comparison())
        #expect(!regression.isRegressed)
        #expect(regression.notes == ["the machine is another one, so the speeds are not comparable"])
    }

    @Test("a baseline without common results is noted")
    func nothingInCommon() {
        var now = MadeUp()
        now.subjects = ["a", "b", "c"]
        let regression = Regression(of: now.comparison(), since: MadeUp().comparison())
        #expect(regression.comparedCount == 0)
        #expect(regression.notes.contains { $0.hasPrefix("no results in common") })
    }
}
