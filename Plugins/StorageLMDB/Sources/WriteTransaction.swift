import PatchbayCore

/// A write transaction: reads and changes rows, and updates every index with them.
final class WriteTransaction: ReadTransaction, StorageWriter, @unchecked Sendable {
    /// The first error that left the transaction half changed, so that it must not commit.
    private(set) var failure: (any Error)?

    let identity: StorageIdentity?
    private let keys: RowEntries
    /// The keys of the row that is replaced or deleted.
    private let oldKeys: RowEntries

    init(_ transaction: Transaction, _ tables: Tables<Table>, _ schema: Schema, _ identity: StorageIdentity?)
    {
        self.identity = identity
        let indexesMax = schema.collections.reduce(0) { max($0, $1.indexes.count) }
        keys = RowEntries(indexesMax: indexesMax)
        oldKeys = RowEntries(indexesMax: indexesMax)
        super.init(transaction, tables)
    }

    // MARK: Put

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        let table = try table(collection)
        try keys.fill(row, table.collection)
        try unsafe table.withRowKey(encoded: keys[0].bytes) { rowKey in
            // The end of the tree is looked up only for a new row, and then known.
            var isLast = try unsafe transaction.isAfterKnown(rowKey, in: table.rows)
            let isReplacing = try unsafe !isLast && encodeOld(rowKey, table)
            if !isLast, !isReplacing { isLast = try unsafe transaction.isAfterAll(rowKey, in: table.rows) }
            try checkUnique(table, isReplacing)
            try changing {
                for place in table.indexes.indices where !isReplacing || !keys.isEqual(to: oldKeys, place + 1)
                {
                    let entry = unsafe keys[place + 1].bytes, tree = table.indexes[place]
                    if isReplacing { try deleteEntry(of: oldKeys, place, tree) }
                    try unsafe transaction.put(keys[0].bytes, under: entry, in: tree, isLast: false)
                }
                try unsafe row.rawBytes.withUnsafeBytes {
                    try unsafe transaction.put($0, under: rowKey, in: table.rows, isLast: isLast)
                }
            }
        }
    }

    /// Encodes the keys of the stored row before it is replaced or deleted. Returns false when there is none.
    private func encodeOld(_ rowKey: UnsafeRawBufferPointer, _ table: Table) throws -> Bool {
        guard let bytes = try unsafe transaction.find(rowKey, in: table.rows) else { return false }
        if let fault = unsafe RowView.check(bytes.bytes, table.collection) {
            throw unsafe transaction.snapshot.damaged(table.rows, rowKey, fault)
        }
        try unsafe oldKeys.fill(RowView(unchecked: bytes.bytes), table.collection)
        return true
    }

    /// Checks before any change that no other row has the same values in a unique index. An entry with the same own
    /// bytes belongs to another row, unless it is this row's own entry.
    private func checkUnique(_ table: Table, _ isReplacing: Bool) throws {
        for place in table.indexes.indices where keys[place + 1].isUnique {
            if isReplacing, keys.isEqual(to: oldKeys, place + 1) { continue }
            if try unsafe transaction.hasEntry(startingWith: keys[place + 1].own, in: table.indexes[place]) {
                throw PatchbayError.conflict(table.collection, table.collection.indexes[place])
            }
        }
    }

    // MARK: Delete

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let table = try table(collection)
        return try unsafe withRowKey(key, table) { rowKey in
            guard try unsafe encodeOld(rowKey, table) else { return false }
            return try changing {
                for (place, tree) in table.indexes.enumerated() { try deleteEntry(of: oldKeys, place, tree) }
                return try unsafe transaction.delete(rowKey, in: table.rows)
            }
        } ?? false
    }

    func deleteAll(in collection: CollectionSchema) throws {
        let table = try table(collection)
        try changing { for tree in [table.rows] + table.indexes { try transaction.clear(tree) } }
    }

    private func deleteEntry(of keys: RowEntries, _ place: Int, _ tree: Tree) throws {
        let entry = unsafe keys[place + 1].bytes
        guard try unsafe transaction.delete(entry, in: tree) else {
            throw unsafe transaction.snapshot.damaged(tree, entry, "it is missing although its row exists")
        }
    }

    /// Runs changes of several trees. After an error they cannot be undone one by one, so that it is remembered, and
    /// the whole transaction fails.
    @inline(__always)
    private func changing<Result>(_ body: () throws -> Result) throws -> Result {
        if let failure { throw failure }
        do {
            return try body()
        } catch {
            failure = error
            throw error
        }
    }
}
