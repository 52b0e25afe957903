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

    func table(_ collection: CollectionSchema) throws -> Table { try tables[collection] }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        let table = try table(collection)
        return try unsafe withRowKey(key, table) { rowKey in
            guard let bytes = try unsafe transaction.find(rowKey, in: table.rows) else { return false }
            try unsafe visitRow(bytes, rowKey, table, visit)
            return true
        } ?? false
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        guard case (var walk, let table)? = try walk(query) else { return }
        let walksRows = query.walksPrimaryKey
        var left = query.limit
        while left > 0, let entry = try unsafe walk.next() {
            let step =
                try unsafe walksRows
                ? visitRow(transaction.payload(of: entry, in: table.rows), entry.key, table, visit)
                : visitRow(namedBy: entry, of: walk.tree, table, visit)
            if case .stop = step { return }
            left -= 1
        }
    }

    func count(_ query: Query) throws -> Int {
        guard case (var walk, _)? = try walk(query) else { return 0 }
        if walk.isOverAll { return min(try transaction.entryCount(walk.tree), query.limit) }
        var count = 0
        while count < query.limit, try unsafe walk.next() != nil { count += 1 }
        return count
    }

    /// The walk of a query; nil when no entry can be visited.
    private func walk(_ query: Query) throws -> (Walk, Table)? {
        let range = try query.keyRange()
        guard query.limit > 0, !range.isEmpty else { return nil }
        let table = try table(query.collection)
        let tree = query.walksPrimaryKey ? table.rows : table.tree(of: query.index)
        guard try transaction.changeCount(tree) > 0 || transaction.root(tree) != nil else {
            throw StoredSchema.misfit(table.collection, in: transaction, transaction.missing(tree.name))
        }
        return (try Walk(transaction, tree, range, order: query.order), table)
    }

    // MARK: Rows

    /// Visits the row that an index entry names.
    @inline(__always)
    private func visitRow<Result>(
        namedBy entry: Snapshot.Entry, of tree: Tree, _ table: Table,
        _ visit: (borrowing RowView) throws -> Result
    ) throws -> Result {
        let primaryKey = try unsafe transaction.payload(of: entry, in: tree)
        guard !table.rows.hasIntegerKeys || primaryKey.count == 8 else {
            throw unsafe transaction.snapshot.damaged(tree, entry.key, "its primary key has the wrong size")
        }
        return try unsafe table.withRowKey(encoded: primaryKey) { rowKey in
            guard let bytes = try unsafe transaction.find(rowKey, in: table.rows) else {
                throw unsafe transaction.snapshot.damaged(
                    tree, entry.key, "it names a row that does not exist")
            }
            return try unsafe visitRow(bytes, rowKey, table, visit)
        }
    }

    /// Checks that bytes with a valid seal have the form of a row, then visits them.
    @inline(__always)
    private func visitRow<Result>(
        _ bytes: UnsafeRawBufferPointer, _ rowKey: UnsafeRawBufferPointer, _ table: Table,
        _ visit: (borrowing RowView) throws -> Result
    ) throws -> Result {
        if let fault = unsafe RowView.check(bytes.bytes, table.collection) {
            let damage = unsafe transaction.snapshot.damaged(table.rows, rowKey, fault)
            throw StoredSchema.misfit(table.collection, in: transaction, damage)
        }
        guard transaction.changeCount(table.rows) > 0 else {
            return try unsafe visit(RowView(unchecked: bytes.bytes))
        }
        // A copy, because further writes of the visitor may move a row on a page that this write has changed.
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
        // The buffer is taken out, so that a visitor may read another row meanwhile.
        var bytes: [UInt8] = []
        swap(&bytes, &keyBytes)
        defer { swap(&bytes, &keyBytes) }
        bytes.removeAll(keepingCapacity: true)
        try table.collection.appendKey(key, in: table.collection.primaryKey, to: &bytes)
        guard table.rows.hasIntegerKeys ? bytes.count == 8 : !bytes.isEmpty else { return nil }
        return try unsafe bytes.withUnsafeBytes { try unsafe table.withRowKey(encoded: $0, body) }
    }
}
