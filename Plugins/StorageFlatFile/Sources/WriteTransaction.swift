import PatchbayCore

/// A write transaction: sees the snapshot that it began with and its own writes.
final class WriteTransaction: StorageWriter {
    let identity: StorageIdentity?
    private let snapshot: Snapshot
    private let pool: ScratchPool
    /// The collections used so far, in the order of the snapshot's tables.
    private(set) var tables: [WorkingTable?]

    init(_ snapshot: Snapshot, _ pool: ScratchPool, _ identity: StorageIdentity?) {
        self.identity = identity
        self.snapshot = snapshot
        self.pool = pool
        tables = Array(repeating: nil, count: snapshot.tables.count)
    }

    private func table(_ collection: CollectionSchema) throws -> WorkingTable {
        let position = try snapshot.position(of: collection)
        if let table = tables[position] { return table }
        let table = WorkingTable(snapshot.tables[position], Scratch())
        tables[position] = table
        return table
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try table(collection).get(key, fields, pool, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        let table = try table(query.collection), scratch = pool.take()
        defer { pool.release(scratch) }
        try table.state.scan(query, table.unwritten, scratch, visit)
    }

    func count(_ query: Query) throws -> Int { try table(query.collection).state.count(query) }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try table(collection).put(row)
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let table = try table(collection), collection = table.state.collection
        var bytes: [UInt8] = []
        try collection.appendKey(key, in: collection.primaryKey, to: &bytes)
        return try table.delete(bytes)
    }

    func deleteAll(in collection: CollectionSchema) throws { try table(collection).deleteAll() }
}
