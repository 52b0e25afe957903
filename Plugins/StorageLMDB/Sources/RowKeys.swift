import PatchbayCore

/// The keys that one row is written under: its primary key and its entry in each index.
///
/// They are in memory that is reused from row to row. Plain memory, because every written row uses it, and an array
/// would check each time whether it is uniquely referenced.
///
/// Safe, because the memory is its own, and it grows before a key is written.
@safe final class RowKeys {
    /// A primary key, or an entry of an index, which ends with the primary key.
    ///
    /// Safe, because it is used before the next row is encoded.
    @safe struct Encoded {
        let bytes: UnsafeRawBufferPointer
        /// The parts of the index itself.
        let own: UnsafeRawBufferPointer
        /// Whether one of these is null, so that the entry never equals that of another row.
        let hasNull: Bool
    }

    /// `Limits.keyBytes` bytes for each key, the primary key first.
    private let memory: UnsafeMutableRawPointer
    private let keys: UnsafeMutablePointer<Encoded>

    /// - Parameter indexesMax: the number of indexes of the collection that has the most.
    init(indexesMax: Int) {
        unsafe memory = .allocate(byteCount: (1 + indexesMax) * Limits.keyBytes, alignment: 8)
        unsafe keys = .allocate(capacity: 1 + indexesMax)
    }

    deinit {
        unsafe memory.deallocate()
        unsafe keys.deallocate()
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
            start: memory + place * Limits.keyBytes, count: Limits.keyBytes)
        let (count, ownBytes, hasNull) = unsafe try collection.writeEntry(of: row, in: index, to: room)
        let key = UnsafeRawBufferPointer(room)
        unsafe (keys + place).initialize(
            to: Encoded(bytes: key.part(0..<count), own: key.part(0..<ownBytes), hasNull: hasNull))
    }

    /// The encoded primary key of the row that was encoded last.
    var primaryKey: UnsafeRawBufferPointer { unsafe keys[0].bytes }

    /// Its entry in an index.
    func entry(_ index: Int) -> Encoded { unsafe keys[index + 1] }

    /// Whether both have the same entry in an index.
    func isEqual(to other: RowKeys, _ index: Int) -> Bool {
        unsafe entry(index).bytes.isEqual(to: other.entry(index).bytes)
    }
}
