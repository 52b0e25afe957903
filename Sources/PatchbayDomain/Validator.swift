/// What a source gave with an answer, to ask later whether the answer has changed (RFC 9110, section 8.8).
///
/// Kept as it came: an entity tag with its quotes.
public struct Validator: Hashable, Sendable {
    public var entityTag: String?
    public var lastModified: String?
    /// Whose and what kind of answer it was: a fingerprint of the credentials, the media type and the API
    /// version. Only the source understands it, and it asks unconditionally when its own is another.
    public var partition: String?

    public init(entityTag: String? = nil, lastModified: String? = nil, partition: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
        self.partition = partition
    }
}

/// A source's answer to a conditional question.
public enum Fetched<Value: Sendable>: Sendable {
    /// What was stored under the validator still holds.
    case unchanged
    case changed(Value, Validator)
}
