internal import PatchbayCore
internal import PatchbayJSON

extension WorkloadResult {
    init(reading reader: inout JSONReader) throws {
        var result = WorkloadResult(workload: "", summary: "", subject: "", rows: 0)
        try reader.object(["workload", "subject", "rows", "rounds"]) { reader, key in
            switch key {
            case "workload": result.workload = try reader.readString()
            case "summary": result.summary = try reader.readString()
            case "subject": result.subject = try reader.readString()
            case "rows": result.rows = try reader.count()
            case "digest": result.digest = try reader.optional { try $0.readString() }
            case "bytesOnDisk": result.bytesOnDisk = try reader.optional { try $0.count() }
            case "skipped": result.skipped = try reader.optional { try $0.readString() }
            case "rounds": result.rounds = try reader.array { try Round(reading: &$0) }
            default: try reader.skipValue()
            }
        }
        self = result
    }
}

extension Round {
    fileprivate init(reading reader: inout JSONReader) throws {
        var round = Round(operations: 0, seconds: 0, processorSeconds: 0, latencies: .none)
        try reader.object(["operations", "seconds", "processorSeconds", "latencies"]) { reader, key in
            switch key {
            case "operations": round.operations = try reader.count()
            case "seconds": round.seconds = try reader.figure()
            case "processorSeconds": round.processorSeconds = try reader.figure()
            case "latencies": round.latencies = try Latencies(reading: &reader)
            case "peakMemoryBytes": round.peakMemoryBytes = try reader.optional { try $0.count() }
            case "writtenBytes": round.writtenBytes = try reader.optional { try $0.count() }
            case "writeCalls": round.writeCalls = try reader.optional { try $0.count() }
            case "flushes": round.flushes = try reader.optional { try $0.count() }
            default: try reader.skipValue()
            }
        }
        self = round
    }
}

extension Latencies {
    fileprivate static let none = Latencies(p50: 0, p90: 0, p99: 0, p999: 0, max: 0, buckets: [])

    fileprivate init(reading reader: inout JSONReader) throws {
        var latencies = Latencies.none
        try reader.object(["p50", "p90", "p99", "p999", "max", "buckets"]) { reader, key in
            switch key {
            case "p50": latencies.p50 = try reader.count()
            case "p90": latencies.p90 = try reader.count()
            case "p99": latencies.p99 = try reader.count()
            case "p999": latencies.p999 = try reader.count()
            case "max": latencies.max = try reader.count()
            case "buckets": latencies.buckets = try reader.array { try Latencies.bucket(&$0) }
            default: try reader.skipValue()
            }
        }
        self = latencies
    }

    private static func bucket(_ reader: inout JSONReader) throws -> Bucket {
        let pair = try reader.array { try $0.count() }
        guard pair.count == 2 else {
            throw JSONError(message: "expected a bucket's length and count", offset: reader.offset)
        }
        return Bucket(upToNanoseconds: pair[0], count: pair[1])
    }
}

extension Difference {
    init(reading reader: inout JSONReader) throws {
        var difference = Difference(
            workload: "", rows: 0, subject: "", reference: "", query: "", key: "", field: nil, expected: "",
            found: "")
        try reader.object(["workload", "rows", "subject", "reference"]) { reader, key in
            switch key {
            case "workload": difference.workload = try reader.readString()
            case "rows": difference.rows = try reader.count()
            case "subject": difference.subject = try reader.readString()
            case "reference": difference.reference = try reader.readString()
            case "query": difference.query = try reader.readString()
            case "key": difference.key = try reader.readString()
            case "field": difference.field = try reader.optional { try $0.readString() }
            case "expected": difference.expected = try reader.readString()
            case "found": difference.found = try reader.readString()
            default: try reader.skipValue()
            }
        }
        self = difference
    }
}

extension SubjectFailure {
    init(reading reader: inout JSONReader) throws {
        var failure = SubjectFailure(subject: "", workload: nil, rows: 0, code: .internalError, message: "")
        try reader.object(["subject", "rows", "message"]) { reader, key in
            switch key {
            case "subject": failure.subject = try reader.readString()
            case "workload": failure.workload = try reader.optional { try $0.readString() }
            case "rows": failure.rows = try reader.count()
            case "code":
                failure.code =
                    try reader.parsed("a code") { PatchbayError.Code(rawValue: $0) } ?? failure.code
            case "message": failure.message = try reader.readString()
            default: try reader.skipValue()
            }
        }
        self = failure
    }
}
