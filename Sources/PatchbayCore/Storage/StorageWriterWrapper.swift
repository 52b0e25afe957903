/// A transaction that wraps another one; calls that it does not implement are passed to the inner one. See
/// ``StorageWrapper``.
public protocol StorageWriterWrapper: StorageWriter {
    var inner: any StorageWriter { get }
}

extension StorageWriterWrapper {
    public func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try inner.get(key, in: collection, fields: fields, visit)
    }

    public func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        try inner.scan(query, visit)
    }

    public func count(_ query: Query) throws -> Int { try inner.count(query) }

    public func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try inner.put(row, in: collection)
    }

    public func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        try inner.delete(key, in: collection)
    }

    public func deleteAll(in collection: CollectionSchema) throws { try inner.deleteAll(in: collection) }
}
