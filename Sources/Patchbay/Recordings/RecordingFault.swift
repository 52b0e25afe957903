/// A fault of a recording.
public struct RecordingFault: Sendable {
    /// The kinds of fault.
    public enum Kind: String, Sendable, CaseIterable {
        /// A file that is not a HAR file, or an exchange that cannot be replayed.
        case damage
        /// A list whose next page was not recorded.
        case gap
        /// A text that is a secret by its name or shape, such as a token in a header field.
        case secret
    }

    /// The kind of the fault.
    public let kind: Kind
    /// The path of the file that contains the fault.
    public let file: String
    /// The number of the entry in the file, starting with 1; nil when the fault concerns the file.
    public let entry: Int?
    /// The place in the entry; nil for the whole entry.
    public let place: String?
    /// The problem, without the secret.
    public let message: String
}
