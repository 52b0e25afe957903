/// Checks one collection, a batch at a time: first its rows, then each index against the rows.
///
/// An index agrees with the rows when its entries are in order, each entry leads to a row that is found again by its
/// own values, and the set of entries equals that of the rows: the same number, with an equal digest.
struct CollectionCheck: Sendable {
    let collection: CollectionSchema
    private let batchRowsMax: Int
    /// Faults that are certain even with concurrent writes, because each was seen within one transaction.
    private(set) var faults = FaultList()
    /// Differences between two walks, which are faults only if nothing was written between them.
    private(set) var differences: [StorageFault] = []
    /// The expected entries of each index, and the number of rows.
    private var expected: [EntrySet]
    private(set) var rowCount = 0
    private var rowsWereRead = true
    /// The current walk: 0 is that of the rows, 1 that of the first index.
    private var number = 0
    private var walk = EntryWalk()

    init(_ collection: CollectionSchema, batchRowsMax: Int) {
        self.collection = collection
        self.batchRowsMax = batchRowsMax
        expected = Array(repeating: EntrySet(), count: collection.indexes.count)
    }

    var isDone: Bool { number > collection.indexes.count || faults.isFull }

    var progress: WorkProgress {
        number == 0
            ? WorkProgress("checking the rows of \(collection.name)", done: rowCount)
            : WorkProgress(
                "checking the index \(index.name) of \(collection.name)", done: walk.found.count, of: rowCount
            )
    }

    private var index: Index {
        collection.indexes.indices.contains(number - 1)
            ? collection.indexes[number - 1] : collection.primaryKey
    }

    /// Checks the next batch.
    mutating func step(_ reader: any StorageReader) throws {
        let index = index
        do {
            let before = walk.after
            let query = Query(collection, by: index, after: before)
            let batch = try reader.batch(query, rowsMax: batchRowsMax)
            for position in 0..<batch.count { try visit(batch.row(position), index, reader) }
            // Without a row in its proper place the walk cannot continue.
            if !batch.isFull || walk.after == before { try endWalk(reader) }
        } catch let error as PatchbayError where error.code == .corrupted || error.code == .invalidValue {
            add(error, index)
            if number == 0 { rowsWereRead = false }
            beginNextWalk()
        }
    }

    private mutating func visit(_ row: borrowing RowView, _ index: Index, _ reader: any StorageReader) throws
    {
        if number == 0 {
            rowCount += 1
            if let fault = RowView.check(row.rawBytes, collection) {
                rowsWereRead = false
                return add(fault, row)
            }
            if let fault = faultyText(row) { add(fault, row) }
            for (position, index) in collection.indexes.enumerated() {
                try expected[position].insert(row, collection, index)
            }
        }
        if let fault = try walk.visit(row, collection, index, reader) {
            add(number == 0 ? "the primary key \(fault)" : "the index \(index.name) \(fault)", row)
        }
    }

    /// The first text of a row that is not UTF-8 or contains U+0000.
    private func faultyText(_ row: borrowing RowView) -> String? {
        for (position, field) in collection.fields.enumerated()
        where field.type == .text && !row.bytes(position).isText {
            return "\(field.name) is not text: it holds U+0000 or bytes that are not UTF-8"
        }
        return nil
    }

    private mutating func endWalk(_ reader: any StorageReader) throws {
        if number > 0, rowsWereRead, !walk.isFaulty {
            let index = index
            let entries = try reader.count(Query(collection, by: index))
            let wanted = expected[number - 1]
            if entries != rowCount || walk.found.count != rowCount {
                differ(
                    index,
                    "has \(entries) entries that lead to \(walk.found.count) rows; there are \(rowCount) rows"
                )
            } else if walk.found != wanted {
                differ(index, "has entries that differ from the values of the rows")
            }
        }
        beginNextWalk()
    }

    private mutating func beginNextWalk() {
        number += 1
        walk = EntryWalk()
    }

    /// Adds the first missing row to the message of each index that lacks one.
    mutating func nameMissingRows(_ reader: any StorageReader) throws {
        for position in differences.indices {
            guard
                let index = collection.indexes.first(where: { differences[position].place == place(of: $0) }),
                let key = try missingRow(index, reader)
            else { continue }
            differences[position].message += "; it lacks the row \(key)"
        }
    }

    private func missingRow(_ index: Index, _ reader: any StorageReader) throws -> Key? {
        var query: Query? = Query(collection)
        while let next = query {
            let batch = try reader.batch(next, rowsMax: batchRowsMax)
            for position in 0..<batch.count
            where try !EntryWalk.isFound(batch.row(position), collection, index, reader) {
                return collection.key(of: batch.row(position))
            }
            query = batch.rest(of: next)
        }
        return nil
    }

    private func place(of index: Index) -> String { "\(collection.name).\(index.name)" }

    private mutating func differ(_ index: Index, _ message: String) {
        differences.append(StorageFault(place: place(of: index), "the index \(index.name) \(message)"))
    }

    private mutating func add(_ message: String, _ row: borrowing RowView) {
        // It may be known: a misplaced row at the end of a batch is visited again in the next one.
        faults.add(nil, "\(collection.name) \(collection.key(of: row))", message)
    }

    /// Adds damage that ended a walk.
    private mutating func add(_ error: PatchbayError, _ index: Index) {
        let place = error.details.filter { $0.name != "file" }.map { "\($0.name) \($0.text)" }.sorted()
            .joined(separator: ", ")
        faults.add(error.file, place.isEmpty ? self.place(of: index) : place, error.message)
    }
}

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
