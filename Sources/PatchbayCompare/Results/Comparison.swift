/// The results of `patchbay compare`: the speed of each subject in each workload, and whether all gave the same
/// answers.
package struct Comparison: Sendable, Hashable, Codable {
    package var machine = Machine()
    /// The system's load average over the minute before the start; nil where the system does not report it.
    package var loadAtStart: Double?
    /// The versions of Patchbay and of the storages' engines, where they report one.
    package var versions: [NameAndValue] = []
    package var settings: CompareSettings
    /// The compared storages in the order of the command line.
    package var subjects: [Subject] = []
    /// One for each subject, workload and number of rows; by rows, then workload, then subject.
    package var results: [WorkloadResult] = []
    /// The first answer in which a subject differs from the first subject, at most one for each workload, subject and
    /// number of rows; empty when all answers were the same.
    package var differences: [Difference] = []
    /// Subjects that could not be measured to the end, each with its reason.
    package var failures: [SubjectFailure] = []
    /// False when the comparison was interrupted or a subject failed: `results` has the measurements until then.
    package var isComplete = false
}
