import Foundation
import PatchbayCore
import PatchbayTestKit

@testable import PatchbayCompare

/// A synthetic comparison of three storages with realistic figures that depend only on a seed.
struct MadeUp {
    /// The cost of one operation of a workload with 1,000 rows, and its growth.
    struct Cost {
        var seconds: Double
        /// The power of the number of rows.
        var power: Double = 0.05
        var writtenBytes = 0
    }

    var subjects = ["sqlite", "lmdb", "flatfile"]
    var rows = [1_000, 10_000, 100_000, 1_000_000]
    var rounds = 11
    /// The relative error of a round.
    var noise = 0.02
    var seed: UInt64 = 7
    /// By workload, then in the order of the subjects.
    var costs = MadeUp.usual
    /// Bytes on disk per row, in the order of the subjects.
    var rowBytes = [310, 420, 290]
    /// Bytes of memory: a constant, and bytes per row.
    var memory = [(9_000_000, 0), (14_000_000, 40), (22_000_000, 160)]

    static let usual: [(String, String, [Cost])] = [
        (
            "load", "save 1,000 new users with their details, in one transaction",
            [
                Cost(seconds: 9e-3, writtenBytes: 640_000),
                Cost(seconds: 7e-3, writtenBytes: 900_000),
                Cost(seconds: 5e-3, writtenBytes: 330_000),
            ]
        ),
        (
            "get-key", "read one user by id, of all users at random",
            [Cost(seconds: 3.9e-6), Cost(seconds: 0.62e-6), Cost(seconds: 1.1e-6)]
        ),
        (
            "get-handle", "read one user by login, through the index of logins",
            [Cost(seconds: 5.6e-6), Cost(seconds: 1.2e-6), Cost(seconds: 1.22e-6)]
        ),
        (
            "page-forward", "read the 20 users after a random id, in id order",
            [Cost(seconds: 31e-6), Cost(seconds: 7.4e-6), Cost(seconds: 12e-6)]
        ),
        (
            "prefix-search", "read the first 20 users whose login begins with three given letters",
            [Cost(seconds: 48e-6), Cost(seconds: 14e-6), Cost(seconds: 19e-6, power: 0.4)]
        ),
        (
            "open", "open the closed storage and read one user",
            [Cost(seconds: 410e-6), Cost(seconds: 190e-6), Cost(seconds: 1.3e-3, power: 1)]
        ),
        (
            "durable-write", "save one changed user in a transaction of its own, as durable as set",
            [
                Cost(seconds: 1.9e-3, writtenBytes: 12_400),
                Cost(seconds: 2.6e-3, writtenBytes: 20_600),
                Cost(seconds: 1.1e-3, writtenBytes: 740),
            ]
        ),
    ]

    func comparison() -> Comparison {
        var random = SeededGenerator(seed: seed)
        var comparison = Comparison(
            machine: MadeUp.machine,
            versions: [NameAndValue("patchbay", "1.0.0"), NameAndValue("sqlite", "3.40.1")],
            settings: settings, subjects: subjects.map { subject($0) }, isComplete: true)
        for rows in rows {
            for (workload, summary, costs) in costs {
                for (index, cost) in costs.enumerated() {
                    let rounds = (0..<rounds).map { _ in round(cost, index, rows, &random) }
                    comparison.results.append(
                        WorkloadResult(
                            workload: workload, summary: summary, subject: subjects[index], rows: rows,
                            rounds: rounds, digest: "00c0ffee\(workload.utf8.count)\(rows)",
                            bytesOnDisk: rowBytes[index] * rows))
                }
            }
        }
        return comparison
    }

    private static let machine = Machine(
        processor: "Imagined Processor @ 2.60GHz", cores: 2, memoryBytes: 25_000_000_000,
        kernel: "Linux 6.1.0", distribution: "Debian GNU/Linux 12 (bookworm)", fileSystem: "ext4")

    private var settings: CompareSettings {
        CompareSettings(
            rows: rows, workloads: costs.map(\.0), seconds: 60, threads: 4, seed: seed, durability: .full,
            commandLine: ["patchbay", "compare", "--storage", subjects.joined(separator: ",")],
            startedAt: Timestamp(milliseconds: 1_790_000_000_000))
    }

    private func subject(_ name: String) -> Subject {
        Subject(name: name, storage: name, settings: [NameAndValue("storage.durability", "full")])
    }

    private func round(
        _ cost: Cost, _ index: Int, _ rows: Int, _ random: inout SeededGenerator
    ) -> Round {
        let growth = pow(Double(rows) / 1_000, cost.power)
        let error = 1 + Double.random(in: -1...1, using: &random) * noise
        let seconds = cost.seconds * growth * error
        let operations = max(1, Int(1 / seconds))
        return Round(
            operations: operations, seconds: Double(operations) * seconds,
            processorSeconds: Double(operations) * seconds * 0.8,
            latencies: latencies(seconds, operations, &random),
            peakMemoryBytes: memory[index].0 + memory[index].1 * rows,
            writtenBytes: cost.writtenBytes * operations, writeCalls: cost.writtenBytes / 4_096 * operations)
    }

    /// Latencies with a steep rise, a peak a little below the mean, and a long tail.
    private func latencies(
        _ seconds: Double, _ operations: Int, _ random: inout SeededGenerator
    ) -> Latencies {
        var buckets: [Latencies.Bucket] = []
        var edge = seconds * 0.5e9
        var left = operations
        var step = 0
        while left > 0, buckets.count < 200 {
            let shares = [0.02, 0.10, 0.22, 0.30, 0.34, 0.30, 0.28, 0.26, 0.25]
            let share = step < shares.count ? shares[step] : Double.random(in: 0.2...0.4, using: &random)
            let count = left < 4 ? left : max(1, Int(Double(left) * share))
            buckets.append(Latencies.Bucket(upToNanoseconds: max(1, Int(edge)), count: count))
            left -= count
            edge *= 1.13
            step += 1
        }
        func percentile(_ part: Double) -> Int {
            var seen = 0
            for bucket in buckets {
                seen += bucket.count
                if Double(seen) >= part * Double(operations) { return bucket.upToNanoseconds }
            }
            return buckets.last?.upToNanoseconds ?? 0
        }
        return Latencies(
            p50: percentile(0.5), p90: percentile(0.9), p99: percentile(0.99), p999: percentile(0.999),
            max: percentile(1), buckets: buckets)
    }
}

extension MadeUp {
    /// Names that a terminal, a page or a spreadsheet might execute.
    static let hostileNames = [
        "<script>alert(1)</script>\"'&", "\u{1B}[31mred\u{1B}[0m\u{202E}evil",
        "名前の長い設定ファイル=1+1,\u{2028}\n",
    ]

    /// A comparison that ended early, with a wrong answer of one subject and a failure of another.
    static func damaged() -> Comparison {
        var comparison = MadeUp().comparison()
        comparison.isComplete = false
        comparison.differences = [
            Difference(
                workload: "get-handle", rows: 1_000_000, subject: "flatfile", reference: "sqlite",
                query: "get users by login \"octocat\"", key: "583231", field: "name",
                expected: "The Octocat", found: "<b>The \u{1B}[2JOctopus</b>")
        ]
        for index in comparison.results.indices where comparison.results[index].workload == "get-handle" {
            let isLie =
                comparison.results[index].subject == "flatfile" && comparison.results[index].rows == 1_000_000
            if isLie { comparison.results[index].digest = "0badcafe" }
        }
        comparison.failures = [
            SubjectFailure(
                subject: "lmdb", workload: "open", rows: 1_000_000, code: .internalError,
                message: "the worker ended by signal 9")
        ]
        comparison.results.removeAll {
            $0.rows == 1_000_000
                && ($0.workload == "durable-write" || $0.workload == "open" && $0.subject == "lmdb")
        }
        if let index = comparison.results.lastIndex(where: {
            $0.workload == "open" && $0.subject == "flatfile"
        }) {
            comparison.results[index].rounds = []
            comparison.results[index].skipped = "keeps no files"
        }
        return comparison
    }
}
