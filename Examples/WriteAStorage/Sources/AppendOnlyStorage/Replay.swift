import Patchbay

/// Does again what a file says was done.
struct Replay {
    private let schema: Schema
    private let path: String
    private let collections: [String: CollectionSchema]

    init(_ schema: Schema, _ path: String) {
        self.schema = schema
        self.path = path
        collections = Dictionary(
            uniqueKeysWithValues: schema.collections.map { ($0.name, $0.withoutIndexes) })
    }

    /// Fills the memory with the rows that the file's changes leave.
    ///
    /// The changes are done without indexes, so that an index that is new judges the last state and no earlier one.
    ///
    /// - Returns: where the file's last whole frame ends.
    /// - Throws: `corrupted` when the file is damaged before its end.
    func run(_ file: [UInt8], into memory: MemoryStorage) async throws -> Int {
        let plain = MemoryStorage()
        try await plain.open(schema.withoutIndexes)
        let end = try await plain.write { writer in
            try Changes(path).forEach(in: file) { change in
                // A schema was read before.
                if let collection = collections[change.collection] { try run(change, collection, on: writer) }
            }
        }
        for collection in schema.collections {
            try await plain.read { reader in
                var rows: [[UInt8]] = []
                try reader.scan(Query(collections[collection.name]!)) { row in
                    rows.append(row.copyBytes())
                    return .next
                }
                return rows
            }.put(into: memory, collection)
        }
        return end
    }

    private func run(_ change: Change, _ collection: CollectionSchema, on writer: any StorageWriter) throws {
        if change.kind == .deleteAll { return try writer.deleteAll(in: collection) }
        guard RowView.check(change.bytes.span.bytes, collection) == nil else {
            throw Changes(path).damaged(at: change.position)
        }
        let row = RowView(unchecked: change.bytes.span.bytes)
        if change.kind == .put {
            try writer.put(row, in: collection)
        } else {
            _ = try writer.delete(collection.key(of: row), in: collection)
        }
    }
}

extension [[UInt8]] {
    fileprivate func put(into memory: MemoryStorage, _ collection: CollectionSchema) async throws {
        try await memory.write { writer in
            for bytes in self { try writer.put(RowView(unchecked: bytes.span.bytes), in: collection) }
        }
    }
}
