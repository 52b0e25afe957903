internal import PatchbayCore
internal import PatchbayJSON

extension Comparison {
    /// Reads the JSON that ``JSONReport`` writes.
    ///
    /// - Throws: `invalidValue` for any other text, another version, a text longer than ``JSONReport/bytesMax``, and a
    ///   missing key; the message names the mistake and its byte.
    package init(json bytes: [UInt8]) throws {
        guard bytes.count <= JSONReport.bytesMax else {
            throw Comparison.unreadable("it has \(bytes.count) bytes; the limit is \(JSONReport.bytesMax)")
        }
        do {
            var reader = JSONReader(bytes.span.bytes)
            self = try .read(from: &reader)
            try reader.finish()
        } catch let error as JSONError {
            throw Comparison.unreadable(error.description)
        }
    }

    private static func unreadable(_ why: String) -> PatchbayError {
        PatchbayError(
            .invalidValue,
            "this is not a comparison: \(why); use one that was written as JSON")
    }
}

extension Comparison: JSONRecord {
    static let fields: [JSONField<Comparison>] = [
        .init("format", is: JSONReport.format), .init("version", is: JSONReport.version),
        .init("isComplete", \.isComplete),
        .init("settings", \.settings), .init("machine", \.machine),
        .init("loadAtStart", \.loadAtStart), .init("versions", \.versions),
        .init("subjects", \.subjects), .init("results", \.results),
        .init("differences", \.differences), .init("failures", \.failures),
    ]
}

extension CompareSettings: JSONRecord {
    static let fields: [JSONField<CompareSettings>] = [
        .init("rows", \.rows), .init("workloads", \.workloads), .init("seconds", \.seconds),
        .init("threads", \.threads), .init("rounds", \.rounds), .init("seed", \.seed),
        .init("durability", \.durability), .init("recording", \.recording),
        .init("commandLine", \.commandLine), .init("startedAt", \.startedAt),
    ]
}

extension Machine: JSONRecord {
    static let fields: [JSONField<Machine>] = [
        .init("processor", \.processor), .init("cores", \.cores), .init("memoryBytes", \.memoryBytes),
        .init("kernel", \.kernel), .init("distribution", \.distribution),
        .init("fileSystem", \.fileSystem),
    ]
}

extension NameAndValue: JSONRecord {
    static let fields: [JSONField<NameAndValue>] = [.init("name", \.name), .init("value", \.value)]
}

extension Subject: JSONRecord {
    static let fields: [JSONField<Subject>] = [
        .init("name", \.name), .init("storage", \.storage), .init("settings", \.settings),
    ]
}

extension WorkloadResult: JSONRecord {
    static let fields: [JSONField<WorkloadResult>] = [
        .init("workload", \.workload), .init("summary", \.summary), .init("subject", \.subject),
        .init("rows", \.rows), .init("digest", \.digest), .init("bytesOnDisk", \.bytesOnDisk),
        .init("skipped", \.skipped), .init("rounds", \.rounds),
    ]
}

extension Round: JSONRecord {
    static let fields: [JSONField<Round>] = [
        .init("operations", \.operations), .init("seconds", \.seconds),
        .init("processorSeconds", \.processorSeconds), .init("peakMemoryBytes", \.peakMemoryBytes),
        .init("writtenBytes", \.writtenBytes), .init("writeCalls", \.writeCalls),
        .init("latencies", \.latencies),
    ]
}

extension Latencies: JSONRecord {
    static let fields: [JSONField<Latencies>] = [
        .init("p50", \.p50), .init("p90", \.p90), .init("p99", \.p99), .init("p999", \.p999),
        .init("max", \.max), .init("buckets", \.buckets),
    ]
}

extension Latencies.Bucket: JSONCoded {
    func write(to writer: inout JSONWriter) { [upToNanoseconds, count].write(to: &writer) }

    static func read(from reader: inout JSONReader) throws -> Latencies.Bucket {
        let pair = try [Int].read(from: &reader)
        guard pair.count == 2 else {
            throw JSONError(message: "expected a bucket's length and count", offset: reader.offset)
        }
        return Latencies.Bucket(upToNanoseconds: pair[0], count: pair[1])
    }
}

extension Difference: JSONRecord {
    static let fields: [JSONField<Difference>] = [
        .init("workload", \.workload), .init("rows", \.rows), .init("subject", \.subject),
        .init("reference", \.reference), .init("query", \.query), .init("key", \.key),
        .init("field", \.field), .init("expected", \.expected), .init("found", \.found),
    ]
}

extension SubjectFailure: JSONRecord {
    static let fields: [JSONField<SubjectFailure>] = [
        .init("subject", \.subject), .init("workload", \.workload), .init("rows", \.rows),
        .init("code", \.code), .init("message", \.message),
    ]
}

extension UInt64: JSONWord { static let kind: StaticString = "a number of 64 bits" }
extension Durability: JSONWord { static let kind: StaticString = "a durability" }
extension PatchbayError.Code: JSONWord { static let kind: StaticString = "a code" }
extension Timestamp: JSONWord { static let kind: StaticString = "a time" }
