/// How one subject did one workload.
public struct WorkloadResult: Sendable, Hashable {
    /// The workload's name: `get-key`.
    public var workload: String
    /// One line: what one operation is.
    public var summary: String
    /// The subject's name.
    public var subject: String
    /// How many users were stored when it began.
    public var rows: Int
    /// What was measured, without the warm-up, in the order in which it was.
    public var rounds: [Round]
    /// A digest of answers and of what was written, 16 hexadecimal digits: the same for all subjects that answered
    /// alike, and in every run with the same settings. It leaves out the turns that only the time decides on; their
    /// answers are compared between the subjects all the same. Nil when there is nothing to compare.
    public var digest: String?
    /// What the storage's files occupied afterwards; nil when it keeps none.
    public var bytesOnDisk: Int?
    /// Why it was not measured; nil when it was.
    public var skipped: String?

    public init(
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
