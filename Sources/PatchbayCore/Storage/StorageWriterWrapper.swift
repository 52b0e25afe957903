/// A transaction that wraps another one; calls that it does not implement are passed to the inner one. See
/// ``StorageWrapper``.
package protocol StorageWriterWrapper: StorageWriter {
    /// The wrapped transaction.
    var inner: any StorageWriter { get }
}

extension StorageWriterWrapper {
    /// The identity that the inner transaction reports.
    package var identity: StorageIdentity? { inner.identity }

    /// Visits a row in the inner transaction.
    package func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try inner.get(key, in: collection, fields: fields, visit)
    }

    /// Visits rows in the inner transaction.
    package func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        try inner.scan(query, visit)
    }

    /// Counts rows in the inner transaction.
    package func count(_ query: Query) throws -> Int { try inner.count(query) }

    /// Inserts or replaces a row in the inner transaction.
    package func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try inner.put(row, in: collection)
    }

    /// Deletes a row in the inner transaction.
    package func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        try inner.delete(key, in: collection)
    }

    /// Deletes every row of a collection in the inner transaction.
    package func deleteAll(in collection: CollectionSchema) throws { try inner.deleteAll(in: collection) }
}
