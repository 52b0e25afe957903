/// What `patchbay compare` found: how fast each subject does each workload, and whether all gave the same answers.
public struct Comparison: Sendable, Hashable {
    /// Where it was measured.
    public var machine: Machine
    /// The versions of what was measured: Patchbay, and the libraries where they tell.
    public var versions: [NameAndValue]
    public var settings: CompareSettings
    /// What was measured, in the order of the command line.
    public var subjects: [Subject]
    /// One for each subject, workload and number of rows; by rows, then workload, then subject.
    public var results: [WorkloadResult]
    /// Where a subject answered otherwise than the first one, at most one for each workload, subject and number of
    /// rows; empty when all answers were the same.
    public var differences: [Difference]
    /// Subjects that could not be measured to the end, each with its reason.
    public var failures: [SubjectFailure]
    /// False when it was interrupted, or a subject failed: `results` holds what was measured until then.
    public var isComplete: Bool

    public init(
        machine: Machine, versions: [NameAndValue], settings: CompareSettings, subjects: [Subject],
        results: [WorkloadResult] = [], differences: [Difference] = [], failures: [SubjectFailure] = [],
        isComplete: Bool = false
    ) {
        self.machine = machine
        self.versions = versions
        self.settings = settings
        self.subjects = subjects
        self.results = results
        self.differences = differences
        self.failures = failures
        self.isComplete = isComplete
    }
}
