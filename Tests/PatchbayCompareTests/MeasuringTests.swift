import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import Testing

@testable import PatchbayCompare

@Suite("Measurements")
struct MeasuringTests {
    @Test("percentiles match the durations, and each operation is in one bucket")
    func histogram() {
        var meter = Meter()
        var timing = Timing()
        timing.latencies = (1...10_000).map { UInt64($0) * 1_000 } + [.max, 0]
        timing.nanoseconds = 2e9
        meter.add(timing)
        let round = meter.round()
        #expect(round.operations == 10_002)
        #expect(round.seconds == 2)
        #expect((4_990_000...5_020_000).contains(round.latencies.p50))
        #expect((9_890_000...9_920_000).contains(round.latencies.p99))
        #expect(round.latencies.max >= 3_590_000_000_000)
        let buckets = round.latencies.buckets
        #expect(buckets.count <= 200)
        #expect(buckets.reduce(0) { $0 + $1.count } == 10_002)
        #expect(zip(buckets, buckets.dropFirst()).allSatisfy { $0.upToNanoseconds < $1.upToNanoseconds })
    }

    @Test("durations from a nanosecond to an hour fit into the limit of buckets")
    func bucketLimit() {
        var meter = Meter()
        var timing = Timing(), length = 1.0
        while length < 3.6e12 {
            timing.latencies.append(UInt64(length))
            length *= 1.01
        }
        meter.add(timing)
        #expect(meter.round().latencies.buckets.count <= 200)
    }

    @Test("the replies of a process do not count among its writes")
    func replies() {
        let round = Meter().round(Writes(bytes: 1 << 40, calls: 1 << 40))
        #expect(round.writeCalls == 0 && round.writtenBytes == 0)
    }

    @Test("a round without operations is all zeros")
    func emptyRound() {
        let round = Meter().round()
        #expect(round.operations == 0 && round.operationsPerSecond == 0)
        #expect(round.latencies.max == 0 && round.latencies.buckets.isEmpty)
    }

    @Test("the writes and memory of a process are counted")
    func counters() throws {
        let folder = try TemporaryDirectory()
        let before = try #require(Writes.now())
        let data = try DataFolder(making: folder.path + "/data")
        #expect(SystemFile.write("x", to: folder.path + "/none/x") == false)
        try data.dropCache()
        data.remove()
        let after = try #require(Writes.now())
        #expect(after.calls >= before.calls && after.bytes >= before.bytes)
        #expect(try #require(PeakMemory.bytes) > 1 << 20)
    }

    @Test("a value in a file of the system is found by its whole name")
    func systemValues() {
        let text = "MemTotalHuge:  1 kB\nMemTotal:\t 24 kB\nmodel name\t: Two: \nEMPTY:\nNAME=\"Debian 12\"\n"
        #expect(SystemFile.number("MemTotal", in: text) == 24)
        #expect(SystemFile.value("model name", in: text) == "Two:")
        #expect(SystemFile.value("NAME", in: text, separator: "=") == "Debian 12")
        #expect(SystemFile.value("Mem", in: text) == nil)
        #expect(SystemFile.number("EMPTY", in: text) == nil)
    }

    @Test("two lists of rows differ first at a row that is missing, surplus, misplaced or changed")
    func rowDifferences() {
        func row(_ key: String, _ name: String = "n") -> TextRow {
            TextRow(key: key, fields: [NameAndValue("id", key), NameAndValue("name", name)])
        }
        let rows = [row("1"), row("2"), row("3")]
        let missing = Difference(rows, [row("1"), row("3")])
        #expect(missing == Difference(key: "2", expected: "row 2", found: "row 3"))
        let surplus = Difference([row("1"), row("3")], rows)
        #expect(surplus == Difference(key: "2", expected: "row 3", found: "row 2"))
        let elsewhere = Difference(rows, [row("2"), row("1"), row("3")])
        #expect(elsewhere == Difference(key: "1", expected: "row 1", found: "row 2"))
        let field = Difference(rows, [row("1"), row("2", "m"), row("3")])
        #expect(field == Difference(key: "2", field: "name", expected: "n", found: "m"))
        let end = Difference(rows, rows + [row("4")])
        #expect(end == Difference(key: "4", expected: "no further row", found: "row 4"))
        #expect(Difference(rows, rows).key.isEmpty)
    }

    @Test(
        "a data folder is created once, counts its files and is removed; its parent only when it is empty"
    )
    func folders() throws {
        let directory = try TemporaryDirectory()
        let above = try DataFolder(unique: "compare", in: directory.path)
        let folder = try DataFolder(making: above.path + "/0")
        #expect(throws: PatchbayError.self) { try DataFolder(making: above.path + "/0") }
        let inner = try DataFolder(making: folder.path + "/inner")
        #expect(inner.bytesOnDisk == 0)
        try folder.empty()
        let other = try DataFolder(making: above.path + "/1")
        folder.removeWithParent()
        _ = try DataFolder(making: above.path + "/2")
        other.remove()
        above.remove()
        #expect(throws: PatchbayError.self) { try DataFolder(making: above.path + "/3") }
    }

    @Test("the description of the machine comes from the system")
    func machine() {
        let machine = Machine.current(folder: "/")
        #expect(machine.cores > 0 && machine.memoryBytes > 1 << 20)
        #expect(machine.kernel.hasPrefix("Linux "))
        #expect(!machine.fileSystem.isEmpty)
        #expect(Machine.load ?? -1 >= 0)
    }
}

@Suite("The schedule of turns")
struct ScheduleTests {
    /// The numbers of the turns of the warm-up and two rounds, when each turn takes the given time.
    private func numbers(_ workload: Workload, seconds: Double, turnNanoseconds: Double) -> [[Int]] {
        var schedule = Schedule(workload, seconds: seconds), rounds: [[Int]] = []
        for round in 0..<3 {
            if round > 0 { schedule.beginRound() }
            var numbers: [Int] = [], isOver = false
            while !isOver, numbers.count < 1_000 {
                numbers.append(schedule.number)
                let time = turnNanoseconds * Double(numbers.count)
                isOver = schedule.isOver(afterNanoseconds: time, isLast: numbers.count == 5)
                schedule.endTurn()
            }
            rounds.append(numbers)
        }
        return rounds
    }

    @Test("a round of reads ends with its time, and the next one starts at a fixed turn")
    func timed() {
        let slow = numbers(.getByKey, seconds: 0.1, turnNanoseconds: 5e7)
        let fast = numbers(.getByKey, seconds: 0.1, turnNanoseconds: 2e7)
        #expect(slow.map(\.count) == [1, 2, 2])
        #expect(fast.map(\.count) == [1, 5, 5])
        #expect(slow.map(\.first) == fast.map(\.first))
    }

    @Test("a round of writes has a fixed number of turns, however long they take")
    func fixed() {
        let slow = numbers(.durableWrite, seconds: 0.4, turnNanoseconds: 1e12)
        #expect(slow == numbers(.durableWrite, seconds: 0.4, turnNanoseconds: 1))
        #expect(slow == [[0], Array(1...16), Array(17...32)])
        #expect(numbers(.durableWrite, seconds: 0.8, turnNanoseconds: 1)[1].count == 32)
        #expect(numbers(.durableWrite, seconds: 0, turnNanoseconds: 1)[1].count == 1)
    }

    @Test("a load ends with its last row")
    func load() {
        #expect(numbers(.load, seconds: 9, turnNanoseconds: 1)[1] == [0, 1, 2, 3, 4])
    }
}
