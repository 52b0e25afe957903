internal import PatchbayCore
package import PatchbayGateway
internal import PatchbayJSON

/// A comparison as JSON: every measurement, exactly, and what they show.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1. The other keys have the names of the properties of
/// ``Comparison``, and unknown values are left out. `verdicts` follows from them, with an object for each workload,
/// subject and number of rows. Readers must skip keys that they do not know; a change that they could misread gets
/// another version.
extension Comparison {
    private static let head: [(name: String, value: JSONValue)] = [
        ("format", "patchbay-comparison"), ("version", .number("1")),
    ]

    /// The JSON, indented by two spaces, with a line feed at the end.
    ///
    /// - Throws: an error when a measured number is not finite.
    package func json() throws -> [UInt8] {
        var writer = JSONWriter(indentation: 2)
        writer.value(try jsonValue())
        writer.newline()
        return writer.bytes
    }

    func jsonValue() throws -> JSONValue {
        let verdicts = groups.flatMap { group in group.standings.map { $0.verdict(in: group) } }
        return .object(
            Comparison.head + (try JSONValue(Frames.bytes(of: self)).members)
                + [("verdicts", .array(verdicts))])
    }
}

extension Standing {
    fileprivate func verdict(in group: ResultGroup) -> JSONValue {
        let members: [(name: String, value: JSONValue?)] = [
            ("workload", .text(group.workload)), ("rows", JSONValue(Int64(group.rows))),
            ("subject", .text(subject)), ("verdict", .text(word)),
            ("timesSlower", number(ratio?.times)), ("low", number(ratio?.low)), ("high", number(ratio?.high)),
            ("reason", reason.map { .text($0) }),
        ]
        return .object(members.compactMap { name, value in value.map { (name, $0) } })
    }

    private func number(_ number: Double?) -> JSONValue? {
        number.flatMap { $0.isFinite ? .number("\($0)") : nil }
    }
}

extension Durability: Codable {}

extension Comparison {
    /// One record for each round of each workload, subject and number of rows, and one without figures for a result
    /// without rounds; for CSV.
    ///
    /// Times of single operations are in nanoseconds, sizes in bytes. An unknown value is null. The verdict is that of
    /// all rounds.
    package var records: [OutputRecord] {
        let groups = groups
        return results.flatMap { result in
            let storage = subjects.first { $0.name == result.subject }?.storage
            let standing = groups.first { $0.workload == result.workload && $0.rows == result.rows }?
                .standings.first { $0.subject == result.subject }
            let rounds = result.rounds.enumerated().map { number, round in
                Comparison.record(of: result, storage, standing, number: number + 1, round)
            }
            return rounds.isEmpty ? [Comparison.record(of: result, storage, standing)] : rounds
        }
    }

    /// The names of the fields of ``records``.
    package static let recordNames = record(of: WorkloadResult()).names

    private static func record(
        of result: WorkloadResult, _ storage: String? = nil, _ standing: Standing? = nil, number: Int? = nil,
        _ round: Round? = nil
    ) -> OutputRecord {
        let latencies = round?.latencies
        return OutputRecord([
            ("workload", .text(result.workload)), ("rows", value(result.rows)),
            ("subject", .text(result.subject)), ("storage", OutputValue(storage)), ("round", value(number)),
            ("operations", value(round?.operations)), ("seconds", value(round?.seconds)),
            ("operations_per_second", value(round?.operationsPerSecond)),
            ("processor_seconds", value(round?.processorSeconds)),
            ("p50_nanoseconds", value(latencies?.p50)), ("p90_nanoseconds", value(latencies?.p90)),
            ("p99_nanoseconds", value(latencies?.p99)), ("p999_nanoseconds", value(latencies?.p999)),
            ("max_nanoseconds", value(latencies?.max)), ("peak_memory_bytes", value(round?.peakMemoryBytes)),
            ("written_bytes", value(round?.writtenBytes)), ("write_calls", value(round?.writeCalls)),
            ("bytes_on_disk", value(result.bytesOnDisk)), ("digest", OutputValue(result.digest)),
            ("verdict", OutputValue(standing?.word)), ("times_slower", value(standing?.ratio?.times)),
            ("times_slower_low", value(standing?.ratio?.low)),
            ("times_slower_high", value(standing?.ratio?.high)),
            ("skipped", OutputValue(result.skipped)),
        ])
    }

    private static func value(_ number: Int?) -> OutputValue { OutputValue(number.map(Int64.init)) }

    private static func value(_ number: Double?) -> OutputValue {
        number.flatMap { $0.isFinite ? .real($0) : nil } ?? .null
    }
}
