public import PatchbayDomain

// Replaced by the lists of resources.
public struct ItemList: Sendable {
    public var items: [Item] = []
    public var isPartial = false
}
