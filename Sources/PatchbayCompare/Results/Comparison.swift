package import PatchbayCore

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

/// A compared storage with its settings.
package struct Subject: Sendable, Hashable, Codable {
    /// The unique name in the results; may be the name of a configuration file, which is untrusted text.
    package var name: String
    /// The storage plugin's name.
    package var storage: String
    /// The storage's options without its path.
    package var settings: [NameAndValue]

    package init(name: String, storage: String, settings: [NameAndValue]) {
        self.name = name
        self.storage = storage
        self.settings = settings
    }
}

/// A name with its value, such as a version or a setting.
package struct NameAndValue: Sendable, Hashable, Codable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

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

/// One measured round of a workload on one subject.
package struct Round: Sendable, Hashable, Codable {
    package var operations: Int = 0
    package var seconds = 0.0
    /// User and system time of all threads of the measured process; more than `seconds` when several were busy.
    package var processorSeconds = 0.0
    package var latencies = Latencies()
    /// The most memory that the process had resident in this round; nil where the system does not report it.
    package var peakMemoryBytes: Int?
    /// The bytes passed to write calls, without the replies to the comparing process; nil where the system does not
    /// report them.
    package var writtenBytes: Int?
    /// The number of write calls, without those replies; nil where the system does not report it.
    package var writeCalls: Int?

    package var operationsPerSecond: Double { seconds > 0 ? Double(operations) / seconds : 0 }
}

/// The durations of single operations in nanoseconds, from an HDR histogram of three significant digits.
package struct Latencies: Sendable, Hashable, Codable {
    /// The number of operations that took up to a duration and longer than that of the bucket before.
    package struct Bucket: Sendable, Hashable {
        package var upToNanoseconds: Int
        package var count: Int
    }

    package var p50: Int = 0
    package var p90: Int = 0
    package var p99: Int = 0
    package var p999: Int = 0
    package var max: Int = 0
    /// All operations in at most 200 buckets by ascending duration, without empty buckets.
    package var buckets: [Bucket] = []
}

/// A bucket is `[upToNanoseconds, count]`, because a report has many.
extension Latencies.Bucket: Codable {
    package init(from decoder: any Decoder) throws {
        var numbers = try decoder.unkeyedContainer()
        upToNanoseconds = try numbers.decode(Int.self)
        count = try numbers.decode(Int.self)
    }

    package func encode(to encoder: any Encoder) throws { try [upToNanoseconds, count].encode(to: encoder) }
}

/// The first answer in which a subject differs from the reference. All storages must give the same answers.
package struct Difference: Sendable, Hashable, Codable {
    package var workload = ""
    package var rows: Int = 0
    /// The subject's name.
    package var subject = ""
    /// The name of the subject that it was compared with, which is the first one.
    package var reference = ""
    /// The query: `get users 4711`.
    package var query = ""
    /// The key of the row as text; empty when the answer has no rows.
    package var key = ""
    /// The field that differs; nil when the whole row is missing, surplus or in another place.
    package var field: String?
    /// The answer of the reference; untrusted data.
    package var expected = ""
    /// The answer of the subject; untrusted data.
    package var found = ""
}

/// The reason why a subject could not be measured to the end.
package struct SubjectFailure: Sendable, Hashable, Codable {
    /// The subject's name.
    package var subject = ""
    /// The workload in which it failed; nil when it failed outside of one.
    package var workload: String?
    package var rows: Int = 0
    package var code = PatchbayError.Code.internalError
    /// One line about what happened; may quote untrusted text.
    package var message = ""
}
