/// Entries of an index as a set: how many, and a digest that does not depend on their order.
struct EntrySet: Sendable, Equatable {
    private(set) var count = 0
    private var sum: UInt128 = 0

    /// Takes the entry that a row has; it ends with the primary key.
    mutating func insert(_ row: borrowing Row, _ collection: Collection, _ index: Index) throws {
        var entry: [UInt8] = []
        entry.reserveCapacity(64)
        try collection.appendEntry(of: row, in: index, to: &entry)
        insert(entry)
    }

    mutating func insert(_ entry: [UInt8]) {
        var hash = SipHash()
        hash.combine(counted: entry.span.bytes)
        sum &+= hash.finish()
        count += 1
    }
}

/// A walk along an index: how far it is, and what it has seen.
struct EntryWalk: Sendable {
    /// Where the next batch begins.
    var after: Key?
    private(set) var found = EntrySet()
    private var previous: [UInt8] = []
    private var previousOwnBytes: Int?

    /// Takes the next row. Says what is wrong with its place, or nil.
    mutating func advance(_ row: borrowing Row, _ collection: Collection, _ index: Index) throws -> String? {
        var entry: [UInt8] = []
        entry.reserveCapacity(64)
        let (ownBytes, hasNull) = try collection.appendEntry(of: row, in: index, to: &entry)
        defer {
            found.insert(entry)
            previous = entry
            previousOwnBytes = hasNull ? nil : ownBytes
        }
        guard found.count > 0 else { return nil }
        if previous == entry { return "has the row twice" }
        if !previous.lexicographicallyPrecedes(entry) { return "has the row in a wrong place" }
        let isEqual = previousOwnBytes.map { previous[..<$0] == entry[..<ownBytes] } ?? false
        return index.isUnique && !hasNull && isEqual ? "is unique but holds the row's values twice" : nil
    }
}
