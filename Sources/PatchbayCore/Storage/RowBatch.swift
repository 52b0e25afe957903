/// Copies of some rows of a collection, to process outside the transaction that read them.
///
/// A walk in batches avoids a long transaction, which in some storages prevents old pages from being reused:
///
///     var query: Query? = Query(collection)
///     while let next = query {
///         let batch = try await storage.batch(next)
///         for position in 0..<batch.count { use(batch.row(position)) }
///         query = batch.rest(of: next)
///     }
package struct RowBatch: Sendable {
    /// The maximum number of rows in a batch.
    package static let rowsMax = 10_000
    /// The number of bytes that makes a batch full. A single row may exceed it.
    package static let bytesMax = 4 << 20

    /// The collection of the rows.
    package let collection: CollectionSchema
    private let rowsMax: Int
    private var bytes: [UInt8] = []
    private var ends: [Int] = []

    /// - Parameter rowsMax: fewer rows than usual, to test what happens between two batches.
    package init(of collection: CollectionSchema, rowsMax: Int = RowBatch.rowsMax) {
        precondition((1...RowBatch.rowsMax).contains(rowsMax), "a batch has 1 to \(RowBatch.rowsMax) rows")
        self.collection = collection
        self.rowsMax = rowsMax
    }

    /// The number of rows.
    package var count: Int { ends.count }
    /// Whether the batch has no rows.
    package var isEmpty: Bool { ends.isEmpty }
    /// Whether the batch has reached its number of rows or ``bytesMax``, so that further rows belong to the next one.
    package var isFull: Bool { count >= rowsMax || bytes.count >= RowBatch.bytesMax }

    /// Appends a copy of a row of the collection.
    package mutating func append(_ row: borrowing RowView) {
        unsafe row.rawBytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        ends.append(bytes.count)
    }

    /// Appends a copy of a row for another storage, in which the fields of this storage are null.
    package mutating func append(transferred row: borrowing RowView) {
        let start = bytes.count, fieldCount = row.fieldCount
        append(row)
        for (position, field) in collection.fields.prefix(fieldCount).enumerated() where field.isOwnStorage {
            setHeader(at: start) { $0 | RowHeader.nullBit(position) }
            setNumber(0, at: start + 8 + position * 8)
        }
    }

    /// Sets an integer field of all rows that have it.
    package mutating func set(_ position: Int, to value: Int64) {
        for place in ends.indices {
            let start = place == 0 ? 0 : ends[place - 1]
            guard position < row(place).fieldCount else { continue }
            setHeader(at: start) { $0 & ~RowHeader.nullBit(position) }
            setNumber(UInt64(bitPattern: value), at: start + 8 + position * 8)
        }
    }

    private mutating func setHeader(at start: Int, _ change: (UInt64) -> UInt64) {
        let header = (0..<8).reduce(0 as UInt64) { $0 | UInt64(bytes[start + $1]) << UInt64(8 * $1) }
        setNumber(change(header), at: start)
    }

    private mutating func setNumber(_ number: UInt64, at start: Int) {
        for byte in 0..<8 { bytes[start + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)) }
    }

    /// The row at a position, in place.
    @_lifetime(borrow self)
    package func row(_ position: Int) -> RowView {
        let start = position == 0 ? 0 : ends[position - 1]
        return RowView(unchecked: bytes.span.bytes.extracting(start..<ends[position]))
    }

    /// The query for the rows after this batch, which `query` returned; nil when there are no further rows.
    package func rest(of query: Query) -> Query? {
        guard isFull else { return nil }
        var rest = query
        rest.after = collection.key(of: row(count - 1), in: query.index)
        return rest
    }
}

extension StorageReader {
    /// The first rows that match a query, up to the size of a batch.
    package func batch(_ query: Query, rowsMax: Int = RowBatch.rowsMax) throws -> RowBatch {
        var batch = RowBatch(of: query.collection, rowsMax: rowsMax)
        try scan(query) { row in
            batch.append(row)
            return batch.isFull ? .stop : .next
        }
        return batch
    }
}

extension Storage {
    /// The first rows that match a query, up to the size of a batch, in a separate transaction.
    ///
    /// - Throws: `CancellationError` in a cancelled task, so that a walk in batches ends.
    package func batch(_ query: Query, rowsMax: Int = RowBatch.rowsMax) async throws -> RowBatch {
        try Task.checkCancellation()
        return try await read { try $0.batch(query, rowsMax: rowsMax) }
    }
}
