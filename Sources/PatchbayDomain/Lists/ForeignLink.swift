public import PatchbayCore

/// Why a source refuses a link to a next page: it was given by another server, as when a storage was filled
/// through another address of the same API.
///
/// It is the cause of the error that the source throws. A use case then asks for the list from a place that needs no
/// link.
public struct ForeignLink: Error, Hashable, Sendable, CustomStringConvertible {
    public init() {}

    public var description: String { "another server gave the link" }
}

extension PatchbayError {
    /// Whether a source refused a link because another server gave it.
    public var isAboutForeignLink: Bool { cause is ForeignLink }
}
