/// The settings for measuring one subject.
struct BenchSetup: Sendable, Hashable, Codable {
    /// The storage plugin's name.
    var storage: String
    /// Its options, without paths.
    var settings: [NameAndValue]
    /// The folder for the subject's files, which is created and removed at the end.
    var folder: String
    var seed: UInt64
    var threads: Int
    /// The HAR file to replay; nil without one.
    var recording: String?
}
