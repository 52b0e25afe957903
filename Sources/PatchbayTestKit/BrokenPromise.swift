/// The error thrown for a storage or source that does not keep a promise.
public struct BrokenPromise: Error, Sendable, CustomStringConvertible {
    /// The sentence of the promise; empty until ``StorageConformance/check(_:)`` fills it in.
    public internal(set) var promise: String
    /// The expected and the actual result, and the steps that led to it.
    public let message: String
    /// The unexpected error, if one was thrown.
    public let cause: (any Error)?

    init(_ message: String, cause: (any Error)? = nil) {
        self.promise = ""
        self.message = message
        self.cause = cause
    }

    /// The promise, how it was broken, and the unexpected error if there was one, on one line.
    public var description: String {
        "broken promise \"\(promise)\": \(message)" + (cause.map { "; thrown: \($0)" } ?? "")
    }
}

/// Thrown by a check that cannot run with this storage although its features require the check.
struct CannotCheck: Error {
    let reason: String
}
