import PatchbayCore

/// The keys that one row is written under: its primary key and its entry in each index.
///
/// They are in memory that is reused from row to row. Plain memory, because every written row uses it, and an array
/// would check each time whether it is uniquely referenced.
///
/// Safe, because the memory is its own, and it grows before a key is written.
@safe final class RowKeys {
    private struct Extent {
        var count = 0
        var ownBytes = 0
        var hasNull = false
    }

    /// `Limits.keyBytes` bytes for each key, the primary key first.
    private let bytes: UnsafeMutableRawPointer
    private let extents: UnsafeMutablePointer<Extent>

    /// - Parameter indexesMax: the number of indexes of the collection that has the most.
    init(indexesMax: Int) {
        unsafe bytes = .allocate(byteCount: (1 + indexesMax) * Limits.keyBytes, alignment: 8)
        unsafe extents = .allocate(capacity: 1 + indexesMax)
        unsafe extents.initialize(repeating: Extent(), count: 1 + indexesMax)
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe extents.deallocate()
    }

    /// - Throws: `invalidValue` when a key is too long.
    func encode(_ row: borrowing RowView, _ collection: CollectionSchema) throws {
        try encode(row, collection, collection.primaryKey, 0)
        for index in collection.indexes.indices {
            try encode(row, collection, collection.indexes[index], index + 1)
        }
    }

    @inline(__always)
    private func encode(
        _ row: borrowing RowView, _ collection: CollectionSchema, _ index: Index, _ place: Int
    ) throws {
        let room = unsafe UnsafeMutableRawBufferPointer(
            start: bytes + place * Limits.keyBytes, count: Limits.keyBytes)
        let (count, ownBytes, hasNull) = unsafe try collection.writeEntry(of: row, in: index, to: room)
        unsafe extents[place] = Extent(count: count, ownBytes: ownBytes, hasNull: hasNull)
    }

    /// The encoded primary key.
    var primaryKey: UnsafeRawBufferPointer { unsafe key(0, extents[0].count) }

    /// A complete entry, which ends with the primary key.
    func entry(_ index: Int) -> UnsafeRawBufferPointer { unsafe key(index + 1, extents[index + 1].count) }

    /// The length of an entry's own parts.
    func ownBytes(_ index: Int) -> Int { unsafe extents[index + 1].ownBytes }

    /// Whether one of an entry's own parts is null, so that the entry never equals that of another row.
    func hasNull(_ index: Int) -> Bool { unsafe extents[index + 1].hasNull }

    /// Whether both have the same entry in an index.
    func isEqual(to other: RowKeys, _ index: Int) -> Bool {
        unsafe entry(index).isEqual(to: other.entry(index))
    }

    @inline(__always)
    private func key(_ place: Int, _ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: bytes + place * Limits.keyBytes, count: count)
    }
}
