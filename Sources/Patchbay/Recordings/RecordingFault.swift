/// Something that is wrong with a recording.
public struct RecordingFault: Sendable {
    /// What kind of fault it is.
    public enum Kind: String, Sendable, CaseIterable {
        /// A file that is no HAR, or an exchange that a replay cannot give.
        case damage
        /// A list that goes on where nothing was recorded.
        case gap
        case secret
    }

    public let kind: Kind
    public let file: String
    /// The entry's number in the file, the first being 1; nil when the fault is about the file.
    public let entry: Int?
    /// Where in the entry; nil when it is the whole.
    public let place: String?
    /// What is wrong; never holds the secret.
    public let message: String
}
