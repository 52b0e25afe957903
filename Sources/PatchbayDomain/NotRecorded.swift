public import PatchbayCore

/// Why a source that answers from a recording has no answer: nobody asked this when it was recorded.
///
/// It is the cause of the error that the source throws, and says nothing about what was asked for: stored rows are
/// shown as when a network cannot be reached.
public struct NotRecorded: Error, Hashable, Sendable, CustomStringConvertible {
    public init() {}

    public var description: String { "nobody asked this when it was recorded" }
}

extension PatchbayError {
    /// Whether a recording does not contain what was asked for.
    public var isNotRecorded: Bool { cause is NotRecorded }
}
