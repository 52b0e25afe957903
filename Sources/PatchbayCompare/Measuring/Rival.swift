/// One subject in a running comparison.
final class Rival {
    let subject: Subject
    let link: any BenchLink
    /// False after a failure; the others go on without it.
    var isAlive = true

    // Of the workload that runs now.
    var result: WorkloadResult
    private(set) var digest = SipDigest()
    /// What the last turn answered, or the collections held at the end.
    private(set) var lastDigest: UInt64?
    /// The time of its turns in this round.
    var roundNanoseconds = 0.0
    /// Whether a difference was told already.
    var differs = false

    init(_ subject: Subject, _ link: any BenchLink) {
        self.subject = subject
        self.link = link
        result = WorkloadResult(workload: "", summary: "", subject: subject.name, rows: 0)
    }

    func begin(_ workload: Workload, rows: Int) {
        result = WorkloadResult(
            workload: workload.name, summary: workload.summary, subject: subject.name, rows: rows)
        digest = SipDigest()
        lastDigest = nil
        differs = false
    }

    /// - Parameter isRepeatable: whether every run with the same settings gives this digest, so that it counts in the
    ///   result's.
    func take(_ digest: UInt64?, isRepeatable: Bool) {
        if isRepeatable { self.digest.combine(digest) }
        lastDigest = digest
    }
}
