/// Where a key stands in a sorted list of pages, or would: in the last page that starts at or before it.
struct Spot {
    var page: Int
    /// The first entry of the page that is not before the key; behind the last one when all are.
    var slot: Int
    /// Whether the entry is that of the key.
    var isEqual: Bool
}
