/// How one subject did one workload.
package struct WorkloadResult: Sendable, Hashable {
    /// The workload's name: `get-key`.
    package var workload: String
    /// One line: what one operation is.
    package var summary: String
    /// The subject's name.
    package var subject: String
    /// How many users were stored when it began.
    package var rows: Int
    /// What was measured, without the warm-up, in the order in which it was.
    package var rounds: [Round]
    /// A digest of answers and of what was written, 16 hexadecimal digits: the same for all subjects that answered
    /// alike, and in every run with the same settings. It leaves out the turns that only the time decides on; their
    /// answers are compared between the subjects all the same. Nil when there is nothing to compare.
    package var digest: String?
    /// What the storage's files occupied afterwards; nil when it keeps none.
    package var bytesOnDisk: Int?
    /// Why it was not measured; nil when it was.
    package var skipped: String?

    package init(
        workload: String, summary: String, subject: String, rows: Int, rounds: [Round] = [],
        digest: String? = nil, bytesOnDisk: Int? = nil, skipped: String? = nil
    ) {
        self.workload = workload
        self.summary = summary
        self.subject = subject
        self.rows = rows
        self.rounds = rounds
        self.digest = digest
        self.bytesOnDisk = bytesOnDisk
        self.skipped = skipped
    }
}
