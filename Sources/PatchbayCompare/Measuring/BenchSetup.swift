/// What a process needs to know to measure one subject.
struct BenchSetup: Sendable, Hashable {
    /// The storage plugin's name.
    var storage: String
    /// Its options, without paths.
    var settings: [NameAndValue]
    /// The folder that the subject's files lie in; it is made, and removed at the end.
    var folder: String
    var seed: UInt64
    var threads: Int
    /// The HAR file to replay; nil when there is none.
    var recording: String?
    /// Whether the process works for this subject only.
    var isAlone: Bool
}
