import Patchbay

/// Applies the changes in a file again.
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

    /// Fills the storage in memory with the rows that remain after all changes.
    ///
    /// The changes are applied without indexes, so that a new index is checked against the final state only.
    ///
    /// - Returns: the end of the last complete frame.
    /// - Throws: `corrupted` when the file is damaged before its end.
    func run(_ file: [UInt8], into memory: MemoryStorage) async throws -> Int {
        let plain = MemoryStorage()
        try await plain.open(schema.withoutIndexes)
        let end = try await plain.write { writer in
            try Changes(path).forEach(in: file) { change in
                // The schema has already been read.
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
            // An earlier opening may have left rows.
            try writer.deleteAll(in: collection)
            for bytes in self { try writer.put(RowView(unchecked: bytes.span.bytes), in: collection) }
        }
    }
}
