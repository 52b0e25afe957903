/// What a source sent with an answer so that a later request can check whether it has changed (RFC 9110, section 8.8).
///
/// Stored unchanged: an entity tag with its quotes.
public struct Validator: Hashable, Sendable {
    /// The value of `ETag`, with its quotes and a `W/` if it is weak; nil when the answer had none.
    public var entityTag: String?
    /// The value of `Last-Modified`; nil when the answer had none.
    public var lastModified: String?
    /// What the answer depended on: a fingerprint of the credentials, the media type and the API version. Only the
    /// source interprets it. It sends an unconditional request when its own partition differs.
    public var partition: String?

    /// Creates a validator; without arguments, an empty one, with which a request is unconditional.
    public init(entityTag: String? = nil, lastModified: String? = nil, partition: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.partition = partition
    }
}

/// A source's answer to a conditional request.
public enum Fetched<Value: Sendable>: Sendable {
    /// The answer that was stored with the validator is still current.
    case unchanged
    /// A new answer, and its validator.
    case changed(Value, Validator)
}
