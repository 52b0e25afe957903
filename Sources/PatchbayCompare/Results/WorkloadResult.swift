/// The measurements of one workload on one subject.
package struct WorkloadResult: Sendable, Hashable, Codable {
    /// The workload's name: `get-key`.
    package var workload = ""
    /// One line that describes one operation.
    package var summary = ""
    /// The subject's name.
    package var subject = ""
    /// The number of items that were stored at the start.
    package var rows: Int = 0
    /// The factor up to which two storages of the same kind may differ, of ``Workload/tolerance``.
    package var tolerance = SpeedRatio.equalMax
    /// The rounds without the warm-up, in the order in which they ran.
    package var rounds: [Round] = []
    /// A digest of the answers and of the written rows, 16 hexadecimal digits: the same for all subjects that gave the
    /// same answers, and in every run with the same settings and number of rounds. It excludes turns whose number
    /// depends on time, although their answers are compared between the subjects as well. Nil when there is nothing to
    /// compare.
    package var digest: String?
    /// The size of the storage's files afterwards; nil when it has none.
    package var bytesOnDisk: Int?
    /// The reason why it was not measured; nil when it was.
    package var skipped: String?
}
