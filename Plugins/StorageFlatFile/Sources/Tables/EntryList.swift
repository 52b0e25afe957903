import PatchbayCore

/// The entries that a row has in the indexes of its collection, the primary key first.
struct EntryList {
    private var bytes: [UInt8] = []
    private var ends: [Int] = []
    /// For each entry, the bytes of the index's own parts when no other row may have them; else 0.
    private var uniqueCounts: [Int] = []

    /// Makes the entries of a row.
    ///
    /// - Throws: `invalidValue` when one is too long.
    mutating func fill(_ row: borrowing Row, _ collection: Collection) throws {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        uniqueCounts.removeAll(keepingCapacity: true)
        try append(row, collection.primaryKey, collection)
        for index in collection.indexes { try append(row, index, collection) }
    }

    private mutating func append(_ row: borrowing Row, _ index: Index, _ collection: Collection) throws {
        let (ownBytes, hasNull) = try collection.appendEntry(of: row, in: index, to: &bytes)
        ends.append(bytes.count)
        uniqueCounts.append(index.isUnique && !hasNull ? ownBytes : 0)
    }

    /// The entry in an index, 0 being the primary key.
    subscript(_ index: Int) -> ArraySlice<UInt8> { bytes[(index == 0 ? 0 : ends[index - 1])..<ends[index]] }

    /// Gives the entry in an index to `body`.
    @inline(__always)
    func withEntry<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        let range = (index == 0 ? 0 : ends[index - 1])..<ends[index]
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// How many bytes of the entry no other row may have; 0 when others may.
    func uniqueCount(_ index: Int) -> Int { uniqueCounts[index] }
}
