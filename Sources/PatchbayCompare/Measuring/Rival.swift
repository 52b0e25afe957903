/// One subject in a running comparison.
final class Rival {
    let subject: Subject
    let link: any BenchLink
    /// False after a failure; the others go on without it.
    var isAlive = true

    // Of the workload that runs now.
    var result: WorkloadResult
    var digest = SipDigest()
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
        differs = false
    }
}
