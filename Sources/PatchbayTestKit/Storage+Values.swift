import PatchbayCore

extension StorageWriter {
    /// Puts a row made of these values, one for each field.
    func put(_ values: Values, in collection: CollectionSchema) throws {
        var builder = RowBuilder()
        builder.begin(collection)
        for (position, value) in values.enumerated() { value.write(to: &builder, at: position) }
        try put(builder.finish(), in: collection)
    }
}

extension StorageReader {
    /// The values of one row, or nil when there is none.
    func values(_ key: Key, in collection: CollectionSchema, fields: FieldSet = .all) throws -> Values? {
        var values: Values?
        let isThere = try get(key, in: collection, fields: fields) { values = $0.values(collection, fields) }
        guard isThere == (values != nil) else {
            throw BrokenPromise(
                "get of \(key) answers \(isThere) but \(isThere ? "did not visit" : "visited") a row")
        }
        return values
    }

    /// The rows that a query visits, each with the query's fields.
    func rows(_ query: Query) throws -> [Values] {
        var rows: [Values] = []
        try scan(query) {
            rows.append($0.values(query.collection, query.fields))
            return .next
        }
        return rows
    }
}

extension RowView {
    /// The values of the fields in the set, in the order of their positions.
    borrowing func values(_ collection: CollectionSchema, _ fields: FieldSet) -> Values {
        var values: Values = []
        for (position, field) in collection.fields.enumerated() where fields.contains(position: position) {
            values.append(FieldValue(self, position, field))
        }
        return values
    }
}

extension Storage {
    /// Writes rows into a collection in one transaction.
    func put(_ rows: [Values], in collection: CollectionSchema) async throws {
        try await write { writer in
            for row in rows { try writer.put(row, in: collection) }
        }
    }

    /// The rows that a query visits in a transaction of its own.
    func rows(_ query: Query) async throws -> [Values] {
        try await read { try $0.rows(query) }
    }

    /// The values of one row in a transaction of its own.
    func values(_ key: Key, in collection: CollectionSchema) async throws -> Values? {
        try await read { try $0.values(key, in: collection) }
    }
}
