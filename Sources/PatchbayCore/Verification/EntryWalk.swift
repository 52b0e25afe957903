/// The entries of an index as a set: their number, and a digest that does not depend on their order.
struct EntrySet: Sendable, Equatable {
    private(set) var count = 0
    private var sum: UInt128 = 0

    /// Adds the entry of a row, which ends with the primary key.
    mutating func insert(_ row: borrowing RowView, _ collection: CollectionSchema, _ index: Index) throws {
        var entry: [UInt8] = []
        entry.reserveCapacity(64)
        try collection.appendEntry(of: row, in: index, to: &entry)
        insert(entry)
    }

    fileprivate mutating func insert(_ entry: [UInt8]) {
        var hash = SipHash()
        hash.combine(counted: entry.span.bytes)
        sum &+= hash.finish()
        count += 1
    }
}

/// A walk along an index or the primary key: its position and the entries it has visited.
struct EntryWalk: Sendable {
    /// The key of the last row in its proper place, after which the next batch begins. Continuing after a misplaced row
    /// could skip rows or loop forever.
    private(set) var after: Key?
    private(set) var found = EntrySet()
    private(set) var isFaulty = false
    private var lastEntry: [UInt8] = []
    private var lastOwnBytes: Int?

    /// Visits the next row. Returns what is wrong with its place, or nil.
    mutating func visit(
        _ row: borrowing RowView, _ collection: CollectionSchema, _ index: Index, _ reader: any StorageReader
    ) throws -> String? {
        var entry: [UInt8] = []
        entry.reserveCapacity(64)
        let (ownBytes, hasNull) = try collection.appendEntry(of: row, in: index, to: &entry)
        found.insert(entry)
        if let fault = orderFault(entry) {
            isFaulty = true
            return fault
        }
        guard try EntryWalk.isFound(row, collection, index, reader) else {
            isFaulty = true
            return "does not find the row under its values"
        }
        let isEqual = lastOwnBytes.map { lastEntry[..<$0] == entry[..<ownBytes] } ?? false
        after = collection.key(of: row, in: index)
        lastEntry = entry
        lastOwnBytes = hasNull ? nil : ownBytes
        return index.isUnique && !hasNull && isEqual ? "is unique but holds the row's values twice" : nil
    }

    private func orderFault(_ entry: [UInt8]) -> String? {
        if after == nil || lastEntry.lexicographicallyPrecedes(entry) { return nil }
        return lastEntry == entry ? "has the row twice" : "has the row in a wrong place"
    }

    /// Whether an index has exactly one entry for the values of a row.
    static func isFound(
        _ row: borrowing RowView, _ collection: CollectionSchema, _ index: Index, _ reader: any StorageReader
    ) throws -> Bool {
        let key = collection.key(of: row, in: index)
        return try reader.count(Query(collection, by: index, .equal(key), limit: 2)) == 1
    }
}
