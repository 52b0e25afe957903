/// The keys that one row is written under: its primary key and its entry in each index.
///
/// They are in memory that is reused from row to row. Plain memory, because every written row uses it, and an array
/// would check each time whether it is uniquely referenced.
///
/// Safe, because the memory is its own, and it has room for the longest keys.
@safe @usableFromInline package final class RowEntries {
    /// A primary key, or an entry of an index, which ends with the primary key.
    ///
    /// Safe, because it is used before the next row is entered.
    @safe @usableFromInline @frozen package struct Entry {
        package let bytes: UnsafeRawBufferPointer
        /// The parts of the index itself.
        package let own: UnsafeRawBufferPointer
        /// Whether no other row may have these parts, because the index is unique and none of them is null.
        package let isUnique: Bool
    }

    /// `Limits.keyBytes` bytes for each key, the primary key first.
    private let memory: UnsafeMutableRawPointer
    @usableFromInline package let entries: UnsafeMutablePointer<Entry>

    /// - Parameter indexesMax: the number of indexes of the collection that has the most.
    package init(indexesMax: Int) {
        unsafe memory = .allocate(byteCount: (1 + indexesMax) * Limits.keyBytes, alignment: 8)
        unsafe entries = .allocate(capacity: 1 + indexesMax)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe entries.deallocate()
    }

    /// Computes the entries of a row.
    ///
    /// - Throws: `invalidValue` when one is too long.
    package func fill(_ row: borrowing RowView, _ collection: CollectionSchema) throws {
        try fill(row, collection, collection.primaryKey, 0)
        for index in collection.indexes.indices {
            try fill(row, collection, collection.indexes[index], index + 1)
        }
    }

    @inline(__always)
    private func fill(
        _ row: borrowing RowView, _ collection: CollectionSchema, _ index: Index, _ place: Int
    ) throws {
        let room = unsafe UnsafeMutableRawBufferPointer(
            start: memory + place * Limits.keyBytes, count: Limits.keyBytes)
        let (count, ownBytes, hasNull) = unsafe try collection.writeEntry(of: row, in: index, to: room)
        let bytes = unsafe UnsafeRawBufferPointer(start: room.baseAddress, count: count)
        let own = unsafe UnsafeRawBufferPointer(start: room.baseAddress, count: ownBytes)
        unsafe (entries + place).initialize(
            to: Entry(bytes: bytes, own: own, isUnique: index.isUnique && !hasNull))
    }

    /// The entry in an index, where 0 is the primary key; valid until the next row.
    @inlinable package subscript(_ index: Int) -> Entry { unsafe entries[index] }

    /// Whether both have the same entry in an index.
    package func isEqual(to other: RowEntries, _ index: Int) -> Bool {
        unsafe self[index].bytes.isEqual(to: other[index].bytes)
    }
}
