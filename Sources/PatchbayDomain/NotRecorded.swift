public import PatchbayCore

/// Why a source that answers from a recording has no answer: the request was not made when it was recorded.
///
/// It is the cause of the error that the source throws. It says nothing about the requested row, so stored rows are
/// shown as when a network is unreachable.
public struct NotRecorded: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the cause; details belong in the message of the error that carries it.
    public init() {}

    /// The reason, for messages: "the recording does not contain this request".
    public var description: String { "the recording does not contain this request" }
}

extension PatchbayError {
    /// Whether the error means that a recording does not contain the request.
    public var isNotRecorded: Bool { cause is NotRecorded }
}
