public import PatchbayCore

/// What a use case says: a value as it stands in the storage, its age, and how it came about.
public struct Answer<Value: Sendable>: Sendable {
    /// Nil when nothing is stored.
    public let value: Value?
    /// The time since the source last told or confirmed the value; of a list, its oldest part.
    public let age: Duration?
    public let outcome: Outcome
}

/// How an answer came about. A stream of answers has at most two values and exactly one ending.
public enum Outcome: Sendable {
    /// What was stored, while the source is being asked; the only outcome that is not an ending.
    case stored
    /// What was stored; the source was not to be asked.
    case localOnly
    /// The source told something new, which is stored now.
    case fresh
    /// The source confirmed what was stored.
    case unchanged
    /// The source, or the storage, could not do it. When something was stored, the answer carries it.
    case failed(PatchbayError)

    public var isEnding: Bool {
        if case .stored = self { false } else { true }
    }
}

/// Hears how old an answer was when it was given, and how it came about; of those with a value from the storage, not
/// of `fresh` and `unchanged` ones. It is called in the task that asks.
public typealias StoredAnswerListener = @Sendable (_ age: Duration, _ outcome: Outcome) -> Void

/// Whether and when the source is asked.
public enum Policy: String, Sendable, CaseIterable {
    /// What is stored at once, then the source.
    case localFirst = "local-first"
    /// What is stored; the source is not asked.
    case localOnly = "local-only"
    /// The source, and what is stored only if that fails.
    case remoteFirst = "remote-first"
    /// The source, unconditionally: nothing that is stored counts as unchanged.
    case refresh
}
