import PatchbayCore
import PatchbayDomain

/// The position of a favourite, ordered by title, then by key.
public struct FavouritePosition: Comparable, Hashable, Sendable {
    /// The part of the title that the index contains.
    let title: String
    let row: StoredRowKey

    /// Whether both titles are equal, ignoring the case of A to Z, and both keys are equal.
    public static func == (left: FavouritePosition, right: FavouritePosition) -> Bool {
        left.bytes.elementsEqual(right.bytes)
    }

    /// Orders by title, ignoring the case of A to Z, then by key, as the index does.
    public static func < (left: FavouritePosition, right: FavouritePosition) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// Hashes the bytes that `==` compares.
    public func hash(into hasher: inout Hasher) { for byte in bytes { hasher.combine(byte) } }

    /// Compares as the index does: the title's bytes with A to Z as a to z, then the key. 0 can separate them
    /// because no text contains it.
    private var bytes: [UInt8] {
        title.utf8.map(\.caseFolded) + [0] + row.collection.utf8 + [0] + row.text.utf8
    }
}
