package import PatchbayCore

/// Why a source refuses a link to a next page: another server gave it, for example because the storage was filled
/// through another address of the same API.
///
/// It is the cause of the error that the source throws. The use case then requests the list from a position that needs
/// no link.
package struct ForeignLink: Error, Hashable, Sendable, CustomStringConvertible {
    /// Creates the cause; details belong in the message of the error that carries it.
    package init() {}

    /// The reason, for messages: "another server gave the link".
    package var description: String { "another server gave the link" }
}

extension PatchbayError {
    /// Whether a source refused a link because another server gave it.
    package var isAboutForeignLink: Bool { cause is ForeignLink }

    /// Whether a source refused a link to a page for good, so that the list must be requested from its start.
    package var isAboutRefusedLink: Bool { isAboutForeignLink || isAboutVoidCursor }
}
