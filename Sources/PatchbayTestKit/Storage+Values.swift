package import PatchbayCore

extension StorageWriter {
    /// Puts a row with the given field values.
    package func put(_ values: Values, in collection: CollectionSchema) throws {
        var builder = RowBuilder()
        builder.begin(collection)
        for (position, value) in values.enumerated() { value.write(to: &builder, at: position) }
        try put(builder.finish(), in: collection)
    }
}

extension StorageReader {
    /// Returns the values of one row, or nil when it does not exist.
    package func values(_ key: Key, in collection: CollectionSchema, fields: FieldSet = .all) throws
        -> Values?
    {
        var values: Values?
        let isThere = try get(key, in: collection, fields: fields) { values = $0.values(collection, fields) }
        guard isThere == (values != nil) else {
            throw BrokenPromise(
                "get of \(key) returned \(isThere) but \(isThere ? "did not visit" : "visited") a row")
        }
        return values
    }

    /// Returns the rows that a query visits, each with the query's fields.
    package func rows(_ query: Query) throws -> [Values] {
        var rows: [Values] = []
        try scan(query) {
            rows.append($0.values(query.collection, query.fields))
            return .next
        }
        return rows
    }
}

extension RowView {
    /// Returns the values of the fields in the set, in the order of their positions.
    borrowing func values(_ collection: CollectionSchema, _ fields: FieldSet) -> Values {
        var values: Values = []
        for (position, field) in collection.fields.enumerated() where fields.contains(position: position) {
            values.append(FieldValue(self, position, field))
        }
        return values
    }
}

extension Storage {
    /// Puts rows into a collection in one transaction.
    package func put(_ rows: [Values], in collection: CollectionSchema) async throws {
        try await write { writer in
            for row in rows { try writer.put(row, in: collection) }
        }
    }

    /// Returns the rows that a query visits, read in a transaction of its own.
    package func rows(_ query: Query) async throws -> [Values] {
        try await read { try $0.rows(query) }
    }

    /// Returns the values of one row, read in a transaction of its own.
    package func values(_ key: Key, in collection: CollectionSchema) async throws -> Values? {
        try await read { try $0.values(key, in: collection) }
    }
}
