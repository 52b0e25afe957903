import PatchbayCore

/// A read transaction on one snapshot.
final class ReadTransaction: StorageReader {
    private let snapshot: Snapshot
    private let pool: ScratchPool

    init(_ snapshot: Snapshot, _ pool: ScratchPool) {
        self.snapshot = snapshot
        self.pool = pool
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        let scratch = pool.take()
        defer { pool.release(scratch) }
        return try snapshot.tables[snapshot.position(of: collection)].get(key, fields, nil, scratch, visit)
            != nil
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        let scratch = pool.take()
        defer { pool.release(scratch) }
        try snapshot.tables[snapshot.position(of: query.collection)].scan(query, nil, scratch, visit)
    }

    func count(_ query: Query) throws -> Int {
        try snapshot.tables[snapshot.position(of: query.collection)].count(query)
    }
}
