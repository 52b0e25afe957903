import PatchbayCore

/// A reply of the process that measures a subject.
enum BenchReply: Sendable {
    case done
    /// The storage is open; the engine and its version.
    case begun(engine: String)
    /// The reason why the subject cannot run the workload.
    case skipped(String)
    case turn(TurnOutcome)
    case round(Round)
    /// The size of the files on the disk, and a digest of the collections that were written.
    case finished(bytesOnDisk: Int?, digest: UInt64?)
    case digests([UInt64])
    case rows(query: String, [TextRow])
    case failed(PatchbayError)
}

/// The result of a turn.
struct TurnOutcome: Sendable, Hashable {
    /// The time that its operations took.
    var nanoseconds: Double
    /// The digest of all answers; nil when there were none.
    var digest: UInt64?
    var isLast: Bool
}

extension BenchReply {
    var bytes: [UInt8] {
        switch self {
        case .done: Message.bytes("done")
        case .begun(let engine): Message.bytes("begun", engine)
        case .skipped(let reason): Message.bytes("skipped", reason)
        case .turn(let outcome):
            Message.bytes("turn", outcome.nanoseconds, outcome.digest, outcome.isLast)
        case .round(let round): Message.bytes("round", round)
        case .finished(let bytesOnDisk, let digest): Message.bytes("finished", bytesOnDisk, digest)
        case .digests(let digests): Message.bytes("digests", digests)
        case .rows(let query, let rows): Message.bytes("rows", query, rows)
        case .failed(let error):
            Message.bytes(
                "failed", error.code, error.message,
                error.details.map { NameAndValue($0.name, $0.text) },
                error.cause.map { "\($0)" })
        }
    }

    init(bytes: [UInt8]) throws {
        self = try Message.read(bytes) { name, values in
            switch name {
            case "done": .done
            case "begun": .begun(engine: try values.next())
            case "skipped": .skipped(try values.next())
            case "turn":
                .turn(
                    TurnOutcome(
                        nanoseconds: try values.next(), digest: try values.next(), isLast: try values.next()))
            case "round": .round(try values.next())
            case "finished": .finished(bytesOnDisk: try values.next(), digest: try values.next())
            case "digests": .digests(try values.next())
            case "rows": .rows(query: try values.next(), try values.next())
            case "failed":
                .failed(
                    BenchReply.error(
                        try values.next(), try values.next(), try values.next(), try values.next()))
            default: nil
            }
        }
    }

    private static func error(
        _ code: PatchbayError.Code, _ message: String, _ details: [NameAndValue], _ cause: String?
    ) -> PatchbayError {
        PatchbayError(
            code, message,
            details.map { .note($0.name, $0.value) } + (cause.map { [.note("because", $0)] } ?? []))
    }
}

extension TextRow: JSONRecord {
    static let empty = TextRow(key: "", fields: [])

    static var fields: [JSONField<TextRow>] {
        [.init("key", \.key), .init("fields", \.fields)]
    }
}
