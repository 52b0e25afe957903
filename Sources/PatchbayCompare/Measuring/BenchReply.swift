import PatchbayCore

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
