/// The error of a storage that does not keep a promise.
public struct BrokenPromise: Error, Sendable, CustomStringConvertible {
    /// The sentence of the promise; empty until ``StorageConformance/check(_:)`` fills it in.
    public internal(set) var promise: String
    /// What was expected, what came, and after which steps.
    public let message: String
    /// What the storage threw, when it should not have.
    public let cause: (any Error)?

    init(_ message: String, cause: (any Error)? = nil) {
        self.promise = ""
        self.message = message
        self.cause = cause
    }

    public var description: String {
        "broken promise \"\(promise)\": \(message)" + (cause.map { "; thrown: \($0)" } ?? "")
    }
}

/// Thrown by a check that cannot be made with this storage, although its features call for it.
struct CannotCheck: Error {
    let reason: String
}
