/// What a source gave with an answer, to ask later whether the answer has changed (RFC 9110, section 8.8).
///
/// Kept as it came: an entity tag with its quotes.
public struct Validator: Hashable, Sendable {
    public var entityTag: String?
    public var lastModified: String?

    public init(entityTag: String? = nil, lastModified: String? = nil) {
        self.entityTag = entityTag
        self.lastModified = lastModified
    }
}

/// A source's answer to a conditional question.
public enum Fetched<Value: Sendable>: Sendable {
    /// What was stored under the validator still holds.
    case unchanged
    case changed(Value, Validator)
}
