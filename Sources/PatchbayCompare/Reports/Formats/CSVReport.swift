internal import PatchbayCore
internal import PatchbayGateway

/// A comparison as comma-separated values (RFC 4180, lines end in a line feed): one line for each round of each
/// workload, subject and number of rows, and one line without figures for a result without rounds.
///
/// ``columns`` names the columns. Times of single operations are in nanoseconds, sizes in bytes. An unknown value is an
/// empty field.
package struct CSVReport: Sendable {
    package let bytes: [UInt8]

    /// - Parameter escaping: applied to names and reasons, to make them harmless on a terminal. By default they are
    ///   exact.
    package init(_ comparison: Comparison, escaping: (String) -> String = { $0 }) {
        let storages = comparison.subjects.reduce(into: [:]) { $0[$1.name] = $1.storage }
        var bytes: [UInt8] = []
        CSVReport.append(CSVReport.columns.map { $0 }, to: &bytes)
        for result in comparison.results {
            let name = [
                result.workload, Optional(String(result.rows)), escaping(result.subject),
                storages[result.subject].map(escaping),
            ]
            let rest = [result.bytesOnDisk.map { String($0) }, result.digest, result.skipped.map(escaping)]
            let missing = [String?](repeating: nil, count: CSVReport.columns.count - name.count - rest.count)
            let rounds = result.rounds.enumerated().map { [String($0 + 1)] + CSVReport.fields($1) }
            for figures in rounds.isEmpty ? [missing] : rounds {
                CSVReport.append(name + figures + rest, to: &bytes)
            }
        }
        self.bytes = bytes
    }

    /// The names of the columns in order.
    package static let columns = [
        "workload", "rows", "subject", "storage", "round", "operations", "seconds", "operations_per_second",
        "processor_seconds", "p50_nanoseconds", "p90_nanoseconds", "p99_nanoseconds", "p999_nanoseconds",
        "max_nanoseconds", "peak_memory_bytes", "written_bytes", "write_calls", "bytes_on_disk",
        "digest", "skipped",
    ]

    private static func fields(_ round: Round) -> [String?] {
        let speed = [round.seconds, round.operationsPerSecond, round.processorSeconds].map { $0.description }
        let latencies = round.latencies
        let times = [latencies.p50, latencies.p90, latencies.p99, latencies.p999, latencies.max]
        let counts = [round.peakMemoryBytes, round.writtenBytes, round.writeCalls]
        return [String(round.operations)] + speed + (times + counts).map { $0.map { String($0) } }
    }

    private static func append(_ fields: [String?], to bytes: inout [UInt8]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            guard let field else { continue }
            unsafe CSVField.append(field.utf8.span.bytes, to: &bytes)
        }
        bytes.append(UInt8(ascii: "\n"))
    }
}
