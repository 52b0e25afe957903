/// The position where a key is or would be in a sorted list of pages: in the last page that starts at or before it.
struct Spot {
    var page: Int
    /// The first entry of the page that is not before the key; one past the last entry when all are before it.
    var slot: Int
    /// Whether the entry has this key.
    var isEqual: Bool
}
