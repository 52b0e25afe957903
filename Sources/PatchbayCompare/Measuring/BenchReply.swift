import PatchbayCore

/// What the process that measures a subject answers.
enum BenchReply: Sendable {
    case done
    /// The storage is open; its engine and version.
    case begun(engine: String)
    /// The subject cannot do the workload, and why.
    case skipped(String)
    case turn(TurnOutcome)
    case round(Round)
    /// What the files take on the disk, and a digest of what the collections hold that were written.
    case finished(bytesOnDisk: Int?, digest: UInt64?)
    case digests([UInt64])
    case rows(query: String, [TextRow])
    case failed(PatchbayError)
}

/// What came of a turn.
struct TurnOutcome: Sendable, Hashable {
    /// The time that its operations took.
    var nanoseconds: Double
    /// Of all answers; nil when there were none.
    var digest: UInt64?
    var isLast: Bool
}

extension BenchReply {
    var bytes: [UInt8] {
        var wire = WireWriter()
        switch self {
        case .done: wire.put(0)
        case .begun(let engine):
            wire.put(1)
            wire.put(engine)
        case .skipped(let reason):
            wire.put(2)
            wire.put(reason)
        case .turn(let outcome):
            wire.put(3)
            wire.put(outcome.nanoseconds)
            wire.put(outcome.digest)
            wire.put(outcome.isLast)
        case .round(let round):
            wire.put(4)
            wire.put(round)
        case .finished(let bytesOnDisk, let digest):
            wire.put(5)
            wire.put(bytesOnDisk)
            wire.put(digest)
        case .digests(let digests):
            wire.put(6)
            wire.put(list: digests) { $0.put($1) }
        case .rows(let query, let rows):
            wire.put(7)
            wire.put(query)
            wire.put(list: rows) { wire, row in
                wire.put(row.key)
                wire.put(list: row.fields) { $0.put($1) }
            }
        case .failed(let error):
            wire.put(8)
            wire.put(error)
        }
        return wire.bytes
    }

    init(bytes: [UInt8]) throws {
        var wire = WireReader(bytes)
        switch try wire.integer() {
        case 0: self = .done
        case 1: self = .begun(engine: try wire.text())
        case 2: self = .skipped(try wire.text())
        case 3:
            self = .turn(
                TurnOutcome(
                    nanoseconds: try wire.real(), digest: try wire.optionalNumber(), isLast: try wire.bool()))
        case 4: self = .round(try wire.round())
        case 5:
            self = .finished(bytesOnDisk: try wire.optionalInteger(), digest: try wire.optionalNumber())
        case 6: self = .digests(try wire.list { try $0.number() })
        case 7:
            self = .rows(
                query: try wire.text(),
                try wire.list { wire in
                    TextRow(key: try wire.text(), fields: try wire.list { try $0.pair() })
                })
        case 8: self = .failed(try wire.error())
        default: throw WireReader.fault
        }
    }
}

extension WireWriter {
    fileprivate mutating func put(_ round: Round) {
        put(round.operations)
        put(round.seconds)
        put(round.processorSeconds)
        let latencies = round.latencies
        for length in [latencies.p50, latencies.p90, latencies.p99, latencies.p999, latencies.max] {
            put(length)
        }
        put(list: latencies.buckets) {
            $0.put($1.upToNanoseconds)
            $0.put($1.count)
        }
        for counter in [round.peakMemoryBytes, round.writtenBytes, round.writeCalls, round.flushes] {
            put(counter)
        }
    }

    fileprivate mutating func put(_ error: PatchbayError) {
        put(error.code.rawValue)
        put(error.message)
        put(list: error.context.sorted { $0.key < $1.key }) { $0.put(NameAndValue($1.key, $1.value)) }
        put(error.cause.map { "\($0)" })
    }
}

extension WireReader {
    fileprivate mutating func round() throws -> Round {
        Round(
            operations: try integer(), seconds: try real(), processorSeconds: try real(),
            latencies: Latencies(
                p50: try integer(), p90: try integer(), p99: try integer(), p999: try integer(),
                max: try integer(),
                buckets: try list { wire in
                    .init(upToNanoseconds: try wire.integer(), count: try wire.integer())
                }),
            peakMemoryBytes: try optionalInteger(), writtenBytes: try optionalInteger(),
            writeCalls: try optionalInteger(), flushes: try optionalInteger())
    }

    fileprivate mutating func error() throws -> PatchbayError {
        let code = PatchbayError.Code(rawValue: try text()) ?? .internalError
        let message = try text()
        var context: [String: String] = [:]
        for pair in try list({ try $0.pair() }) { context[pair.name] = pair.value }
        if let cause = try optionalText() { context["because"] = cause }
        return PatchbayError(code, message, context)
    }
}
