public import PatchbayCore

/// The answer of a use case: a stored value, its age, and the outcome.
public struct Answer<Value: Sendable>: Sendable {
    /// Nil when nothing is stored.
    public let value: Value?
    /// The time since the source last returned or confirmed the value; for a list, the age of its oldest part.
    /// Nil when that is unknown, because the value was stored while the clock was ahead.
    public let age: Duration?
    /// How the answer was obtained, and whether it is the last one.
    public let outcome: Outcome

    /// Returns the answer if it has a value to show.
    ///
    /// - Throws: the error of a failure without a value.
    package func served() throws -> Answer {
        if value == nil, let error = outcome.error { throw error }
        return self
    }
}

/// How an answer was obtained. A stream of answers has at most two values, and exactly one of them is an ending.
public enum Outcome: Sendable {
    /// The stored value, while the source is being queried; the only outcome that is not an ending.
    case stored
    /// The stored value; the source was not queried.
    case localOnly
    /// The source returned something new, which is now stored.
    case fresh
    /// The source confirmed the stored value.
    case unchanged
    /// The source or the storage failed. The answer contains the stored value, if there is one.
    case failed(PatchbayError)

    /// One word for headers and labels: `local-only`.
    package var word: String {
        switch self {
        case .stored: "stored"
        case .localOnly: "local-only"
        case .fresh: "fresh"
        case .unchanged: "unchanged"
        case .failed: "failed"
        }
    }

    /// Whether no further answer follows: true for every outcome but ``stored``.
    public var isEnding: Bool {
        if case .stored = self { false } else { true }
    }

    /// Whether the source has just provided or confirmed the value.
    package var isConfirmed: Bool {
        switch self {
        case .fresh, .unchanged: true
        case .stored, .localOnly, .failed: false
        }
    }

    /// The error of a failure; nil for every other outcome.
    package var error: PatchbayError? { if case .failed(let error) = self { error } else { nil } }
}

/// Called with the age and outcome of every answer served from storage, so not of `fresh` and `unchanged` ones. Runs in
/// the task that iterates the answers.
public typealias StoredAnswerListener = @Sendable (_ age: Duration, _ outcome: Outcome) -> Void

/// Whether and when the source is queried.
public enum Policy: String, Sendable, CaseIterable {
    /// The stored value at once, then the source.
    case localFirst = "local-first"
    /// The stored value only; the source is not queried.
    case localOnly = "local-only"
    /// The source, and the stored value only if that fails.
    case remoteFirst = "remote-first"
    /// The source, with unconditional requests, so it never answers "unchanged".
    case refresh
}
