/// A text in an entry of a recording, without escapes and base64, and where it stands.
public struct RecordedText: Sendable {
    /// What the text is, as far as that says whether it is a secret.
    public enum Kind: Sendable, Hashable {
        case field(name: String)
        case cookie(name: String)
        case parameter(name: String)
        /// A form: `name=value&...` from its first byte on.
        case form
        case other
    }

    /// The members of the entry that lead to it: `request.headers`, `response.content`.
    public let place: String
    public let kind: Kind
    public let bytes: [UInt8]
}
