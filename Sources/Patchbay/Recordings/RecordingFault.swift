/// A fault of a recording.
package struct RecordingFault: Sendable {
    /// The kinds of fault.
    package enum Kind: String, Sendable, CaseIterable {
        /// A file that is not a HAR file, or an exchange that cannot be replayed.
        case damage
        /// A list whose next page was not recorded.
        case gap
        /// A text that is a secret by its name or shape, such as a token in a header field.
        case secret
    }

    /// The kind of the fault.
    package let kind: Kind
    /// The path of the file that contains the fault.
    package let file: String
    /// The number of the entry in the file, starting with 1; nil when the fault concerns the file.
    package let entry: Int?
    /// The place in the entry; nil for the whole entry.
    package let place: String?
    /// The problem, without the secret.
    package let message: String
}
