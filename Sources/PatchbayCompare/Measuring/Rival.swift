/// One subject in a running comparison.
final class Rival {
    let subject: Subject
    let link: any BenchLink
    /// False after this subject failed; the comparison continues with the others.
    var isAlive = true

    // State of the current workload.
    var result = WorkloadResult()
    /// The digests that every run with the same settings has.
    private(set) var digests: [UInt64] = []
    /// The digest of the answers of the last turn, or of the collections at the end.
    private(set) var lastDigest: UInt64?
    /// The duration of its turns in this round.
    var roundNanoseconds = 0.0
    /// Whether a difference has been reported.
    var differs = false

    init(_ subject: Subject, _ link: any BenchLink) {
        self.subject = subject
        self.link = link
    }

    func begin(_ workload: Workload, rows: Int) {
        result = WorkloadResult(
            workload: workload.name, summary: workload.summary, subject: subject.name, rows: rows,
            tolerance: workload.tolerance)
        digests = []
        lastDigest = nil
        differs = false
    }

    /// - Parameter isRepeatable: whether every run with the same settings has this digest; only then the digest of the
    ///   result includes it.
    func take(_ digest: UInt64?, isRepeatable: Bool) {
        if isRepeatable, let digest { digests.append(digest) }
        lastDigest = digest
    }
}
