// Unsafe: entries by address. It holds because they are in the list's own buffer, which has room for the longest entry
// before one is written, and a caller uses an entry only until the next row.

import PatchbayCore

/// The entries of a row in the indexes of its collection, the primary key first.
///
/// Safe for the reason above.
@safe final class EntryList {
    private struct Entry {
        var start = 0
        var count = 0
        /// The length of the index's own parts when no other row may have them; otherwise 0.
        var uniqueCount = 0
    }

    private let collection: CollectionSchema
    private let bytes = ByteBuffer()
    private var entries: [Entry]

    init(_ collection: CollectionSchema) {
        self.collection = collection
        entries = Array(repeating: Entry(), count: collection.indexes.count + 1)
    }

    /// Computes the entries of a row.
    ///
    /// - Throws: `invalidValue` when one is too long.
    func fill(_ row: borrowing RowView) throws {
        bytes.count = 0
        try append(row, collection.primaryKey, 0)
        for position in collection.indexes.indices {
            try append(row, collection.indexes[position], position + 1)
        }
    }

    private func append(_ row: borrowing RowView, _ index: Index, _ position: Int) throws {
        bytes.reserve(Limits.keyBytes)
        let room = unsafe UnsafeMutableRawBufferPointer(
            start: bytes.base + bytes.count, count: Limits.keyBytes)
        let (count, ownBytes, hasNull) = unsafe try collection.writeEntry(of: row, in: index, to: room)
        entries[position] = Entry(
            start: bytes.count, count: count, uniqueCount: index.isUnique && !hasNull ? ownBytes : 0)
        bytes.count += count
    }

    /// The entry in an index, where 0 is the primary key; valid until the next row.
    subscript(_ index: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: bytes.base + entries[index].start, count: entries[index].count)
    }

    /// The part of the entry that no other row may have; nil when rows may share the entry.
    func uniquePart(_ index: Int) -> UnsafeRawBufferPointer? {
        let count = entries[index].uniqueCount
        return unsafe count > 0 ? UnsafeRawBufferPointer(rebasing: self[index][..<count]) : nil
    }

    /// Whether another list has the same entry in an index.
    func hasSame(_ index: Int, as other: EntryList) -> Bool {
        unsafe self[index].isEqual(to: other[index])
    }
}
