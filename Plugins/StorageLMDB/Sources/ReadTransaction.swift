import PatchbayCore

/// Reads rows in place, from one snapshot or inside a write.
///
/// Unchecked: the pool hands it to one task at a time.
class ReadTransaction: StorageReader, @unchecked Sendable {
    let transaction: Transaction
    private var tables: Tables<Table>
    /// A key being encoded; kept to reuse its memory.
    private var keyBytes: [UInt8] = []

    init(_ transaction: Transaction, _ tables: Tables<Table>) {
        self.transaction = transaction
        self.tables = tables
    }

    func table(_ collection: CollectionSchema) -> Table { tables[collection] }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        let table = table(collection)
        return try unsafe withRowKey(key, table) { rowKey in
            guard let bytes = try unsafe transaction.find(rowKey, in: table.rows) else { return false }
            try unsafe visitRow(bytes, rowKey, table, visit)
            return true
        } ?? false
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        let range = try query.keyRange()
        guard query.limit > 0, !range.isEmpty else { return }
        let table = table(query.collection)
        if query.walksPrimaryKey {
            try scanRows(table, range, query, visit)
        } else {
            try scanIndex(table, table.tree(of: query.index), range, query, visit)
        }
    }

    func count(_ query: Query) throws -> Int {
        let range = try query.keyRange()
        guard query.limit > 0, !range.isEmpty else { return 0 }
        let table = table(query.collection)
        let tree = query.walksPrimaryKey ? table.rows : table.tree(of: query.index)
        if range == KeyRange() { return min(try transaction.entryCount(tree), query.limit) }
        var walk = try Walk(transaction, tree, range, order: query.order)
        var count = 0
        while count < query.limit, try unsafe walk.next() != nil { count += 1 }
        return count
    }

    // MARK: Walks

    private func scanRows(
        _ table: Table, _ range: KeyRange, _ query: Query, _ visit: (borrowing RowView) throws -> Step
    ) throws {
        var walk = try Walk(transaction, table.rows, range, order: query.order)
        var left = query.limit
        while left > 0, let entry = try unsafe walk.next() {
            let bytes = try unsafe transaction.payload(of: entry.value, under: entry.key, in: table.rows)
            if case .stop = try unsafe visitRow(bytes, entry.key, table, visit) { return }
            left -= 1
        }
    }

    private func scanIndex(
        _ table: Table, _ tree: Tree, _ range: KeyRange, _ query: Query,
        _ visit: (borrowing RowView) throws -> Step
    ) throws {
        var walk = try Walk(transaction, tree, range, order: query.order)
        var left = query.limit
        while left > 0, let entry = try unsafe walk.next() {
            let primaryKey = try unsafe primaryKey(of: entry, table, tree)
            let step = try unsafe table.withRowKey(encoded: primaryKey) { rowKey in
                guard let bytes = try unsafe transaction.find(rowKey, in: table.rows) else {
                    throw unsafe transaction.snapshot.damaged(
                        tree, entry.key, "it names a row that does not exist")
                }
                return try unsafe visitRow(bytes, rowKey, table, visit)
            }
            if case .stop = step { return }
            left -= 1
        }
    }

    /// The encoded primary key that an index entry holds.
    func primaryKey(of entry: Snapshot.Entry, _ table: Table, _ tree: Tree) throws -> UnsafeRawBufferPointer {
        let primaryKey = try unsafe transaction.payload(of: entry.value, under: entry.key, in: tree)
        guard !table.rows.hasIntegerKeys || primaryKey.count == 8 else {
            throw unsafe transaction.snapshot.damaged(tree, entry.key, "its primary key has the wrong size")
        }
        return unsafe primaryKey
    }

    // MARK: Rows

    /// Checks that bytes with a valid seal have the form of a row, then visits them.
    @inline(__always)
    private func visitRow<Result>(
        _ bytes: UnsafeRawBufferPointer, _ rowKey: UnsafeRawBufferPointer, _ table: Table,
        _ visit: (borrowing RowView) throws -> Result
    ) throws -> Result {
        if let fault = unsafe RowView.check(bytes.bytes, table.collection) {
            throw unsafe transaction.snapshot.damaged(table.rows, rowKey, fault)
        }
        if transaction.hasChanged(table.rows) { return try unsafe visitCopy(bytes, visit) }
        return try unsafe visit(RowView(unchecked: bytes.bytes))
    }

    /// Visits a copy of a row on a page that this write has changed, because the visitor's further writes may move the
    /// row.
    private func visitCopy<Result>(
        _ bytes: UnsafeRawBufferPointer, _ visit: (borrowing RowView) throws -> Result
    ) throws -> Result {
        let copy = unsafe [UInt8](bytes)
        return try unsafe visit(RowView(unchecked: copy.span.bytes))
    }

    /// Runs `body` with the row tree's key; nil for a key that no row can have.
    @inline(__always)
    func withRowKey<Result>(
        _ key: Key, _ table: Table, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        if case .integer(let value) = key, table.rows.hasIntegerKeys {
            var native = UInt64(bitPattern: value) ^ 1 << 63
            return unsafe try withUnsafeBytes(of: &native, body)
        }
        return try unsafe withEncodedKey(key, table) { encoded in
            try unsafe table.withRowKey(encoded: encoded, body)
        }
    }

    private func withEncodedKey<Result>(
        _ key: Key, _ table: Table, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        // The buffer is taken out, so that a visitor may read another row meanwhile.
        var bytes: [UInt8] = []
        swap(&bytes, &keyBytes)
        defer { swap(&bytes, &keyBytes) }
        bytes.removeAll(keepingCapacity: true)
        try table.collection.appendKey(key, in: table.collection.primaryKey, to: &bytes)
        guard table.rows.hasIntegerKeys ? bytes.count == 8 : !bytes.isEmpty else { return nil }
        return unsafe try bytes.withUnsafeBytes(body)
    }
}
