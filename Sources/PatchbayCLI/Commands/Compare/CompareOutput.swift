import PatchbayCompare
import PatchbayCore

/// What was measured, as it is printed.
struct CompareOutput {
    private let comparison: Comparison
    private let format: OutputFormat

    init(_ comparison: Comparison, _ format: OutputFormat) {
        self.comparison = comparison
        self.format = format
    }

    func write() throws {
        let records = comparison.results.map { result in
            let rounds = result.rounds.map(\.operationsPerSecond).sorted()
            let middle = rounds.isEmpty ? nil : rounds[rounds.count / 2]
            return OutputRecord([
                ("workload", .text(result.workload)), ("rows", .integer(Int64(result.rows))),
                ("subject", .text(result.subject)),
                ("per_second", middle.map { .integer(Int64($0)) } ?? .null),
                ("p50_ns", result.rounds.first.map { .integer(Int64($0.latencies.p50)) } ?? .null),
                ("p99_ns", result.rounds.first.map { .integer(Int64($0.latencies.p99)) } ?? .null),
                ("seconds", .text("\(result.rounds.reduce(0) { $0 + $1.seconds })")),
                ("peak", result.rounds.last?.peakMemoryBytes.map { .integer(Int64($0)) } ?? .null),
                ("written", result.rounds.last?.writtenBytes.map { .integer(Int64($0)) } ?? .null),
                ("calls", result.rounds.last?.writeCalls.map { .integer(Int64($0)) } ?? .null),
                ("flushes", result.rounds.last?.flushes.map { .integer(Int64($0)) } ?? .null),
                ("disk", result.bytesOnDisk.map { .integer(Int64($0)) } ?? .null),
                ("digest", OutputValue(result.digest)), ("skipped", OutputValue(result.skipped)),
            ])
        }
        let columns = records.first.map { $0.fields.map { TableColumn($0.name) } } ?? []
        try RecordWriter(format).write(records, table: Table(columns, of: records))
    }
}
