import PatchbayCore

/// The entries that one row has in its collection's indexes, in buffers that are reused from row to row.
struct IndexEntries {
    private struct Place {
        let end: Int
        let ownBytes: Int
        let hasNull: Bool
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    /// - Throws: `invalidValue` when an entry is too long for a key.
    mutating func encode(_ row: borrowing Row, _ collection: Collection) throws {
        bytes.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        for index in collection.indexes {
            let (ownBytes, hasNull) = try collection.appendEntry(of: row, in: index, to: &bytes)
            places.append(Place(end: bytes.count, ownBytes: ownBytes, hasNull: hasNull))
        }
    }

    /// Whether one of an entry's own parts is null, so that it is no other row's equal.
    func hasNull(_ index: Int) -> Bool { places[index].hasNull }

    /// Runs `body` with a whole entry.
    @inline(__always)
    func withEntry<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result
    {
        let start = index == 0 ? 0 : places[index - 1].end
        return try bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[start..<places[index].end]))
        }
    }

    /// Runs `body` with an entry's own parts, without the primary key.
    @inline(__always)
    func withOwnBytes<Result>(_ index: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows
        -> Result
    {
        let count = places[index].ownBytes
        return try withEntry(index) { try body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    /// Whether both have the same entry in an index.
    func isEqual(to other: IndexEntries, _ index: Int) -> Bool {
        withEntry(index) { left in other.withEntry(index) { right in left.isEqual(to: right) } }
    }
}
