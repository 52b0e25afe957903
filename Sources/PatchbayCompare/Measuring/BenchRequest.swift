import PatchbayCore

/// The settings for measuring one subject.
struct BenchSetup: Sendable, Hashable, Codable {
    var subject: Subject
    /// The folder for the subject's files, which is created and removed at the end.
    var folder: String
    var seed: UInt64
    var threads: Int
    /// The rows to store; nil for made-up users.
    var copy: RowsCopy?
}

/// Copied rows as the process that measures a subject finds them.
struct RowsCopy: Sendable, Hashable, Codable {
    /// The file of the rows.
    var file: String
    /// The name of their collection.
    var collection: String
    var origin: RowsOrigin
}

/// A request to the process that measures a subject.
enum BenchRequest: Sendable, Hashable, Codable {
    /// Sets up the subject; the first request.
    case setUp(BenchSetup)
    /// Starts a workload; one that fills the storage opens an empty one for a number of rows.
    case prepare(workload: String, rows: Int)
    case beginRound
    /// Runs a turn of the workload. The number of the turn determines its operations.
    case turn(number: Int)
    case endRound
    /// Ends the workload and returns the digest of its collections.
    case finish
    /// Returns the digests of the parts of some answers; none after the last collection.
    case digests(of: Answers)
    /// Returns the rows of one of these parts, with their query.
    case rows(of: Answers, part: Int)
    /// The last request: removes the files.
    case end

    /// Answers that are compared with those of another subject.
    enum Answers: Sendable, Hashable, Codable {
        /// The answers of the last turn; a part is an operation.
        case lastTurn
        /// The rows of a collection that the workload has written.
        case collection(Int)
    }
}

/// A reply of the process that measures a subject.
enum BenchReply: Sendable, Codable {
    case done
    /// The engine and its version, for a workload that fills the storage; and the reason why the subject cannot run the
    /// workload.
    case prepared(engine: String?, refusal: String?)
    /// The time that the operations of a turn took, the digest of their answers, which is nil when there were none, and
    /// whether the workload has ended.
    case turn(nanoseconds: Double, digest: UInt64?, isLast: Bool)
    case round(Round)
    /// The size of the files on the disk, and a digest of the collections that were written.
    case finished(bytesOnDisk: Int?, digest: UInt64?)
    case digests([UInt64])
    case rows(query: String, [TextRow])
    case failed(PatchbayError.Code, String)
}

extension PatchbayError.Code: Codable {}
