import PatchbayCore

/// A reply of the process that measures a subject.
enum BenchReply: Sendable, Codable {
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
    case failed(PatchbayError.Code, String)
}

/// The result of a turn.
struct TurnOutcome: Sendable, Hashable, Codable {
    /// The time that its operations took.
    var nanoseconds: Double
    /// The digest of all answers; nil when there were none.
    var digest: UInt64?
    var isLast: Bool
}

extension PatchbayError.Code: Codable {}
