public import PatchbayCore

/// A page of a list, as a source gave it.
public struct Page<Item: Sendable>: Sendable {
    public var items: [Item]
    /// How to ask for the page behind this one; nil at the end of the list. Only the source understands it.
    public var next: String?
    /// Whether the page holds as many items as it may. "Unchanged" about a full last page does not prove that
    /// no page has come behind it.
    public var isFull: Bool
    /// How many pages the list has in all, where the source tells.
    public var pageCount: Int64?

    public init(_ items: [Item], next: String? = nil, isFull: Bool = false, pageCount: Int64? = nil) {
        self.items = items
        self.next = next
        self.isFull = isFull
        self.pageCount = pageCount
    }
}

extension Page: Equatable where Item: Equatable {}
extension Page: Hashable where Item: Hashable {}

/// Which page of a list: its first, which `First` describes, or one that a former page named as its next.
public enum PageRequest<First: Hashable & Sendable>: Hashable, Sendable {
    case first(First)
    /// What ``Page/next`` said.
    case next(String)
}

/// Why a source refuses ``PageRequest/next(_:)``: the link was given by another server, as when a storage was filled
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
