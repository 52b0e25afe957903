import PatchbayCore

/// The keys that one row is written under, in buffers that are reused from row to row.
struct KeyBuffers {
    /// Encoded.
    private(set) var primaryKey: [UInt8] = []
    private(set) var new = IndexEntries()
    /// The entries of the row that is replaced.
    var old = IndexEntries()

    /// - Throws: `invalidValue` when a key is too long.
    mutating func encode(_ row: borrowing Row, _ collection: Collection) throws {
        primaryKey.removeAll(keepingCapacity: true)
        try collection.appendEntry(of: row, in: collection.primaryKey, to: &primaryKey)
        try new.encode(row, collection)
    }
}
