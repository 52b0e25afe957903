/// What `patchbay compare` found: how fast each subject does each workload, and whether all gave the same answers.
package struct Comparison: Sendable, Hashable {
    /// Where it was measured.
    package var machine: Machine
    /// The versions of what was measured: Patchbay, and the libraries where they tell.
    package var versions: [NameAndValue]
    package var settings: CompareSettings
    /// What was measured, in the order of the command line.
    package var subjects: [Subject]
    /// One for each subject, workload and number of rows; by rows, then workload, then subject.
    package var results: [WorkloadResult]
    /// Where a subject answered otherwise than the first one, at most one for each workload, subject and number of
    /// rows; empty when all answers were the same.
    package var differences: [Difference]
    /// Subjects that could not be measured to the end, each with its reason.
    package var failures: [SubjectFailure]
    /// False when it was interrupted, or a subject failed: `results` holds what was measured until then.
    package var isComplete: Bool

    package init(
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
