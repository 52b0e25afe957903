import Patchbay

/// Passes a transaction on to the storage in memory, and records its changes.
final class NotingWriter: StorageWriter {
    private let memory: any StorageWriter
    let identity: StorageIdentity?
    private(set) var frame = Frame()

    init(_ memory: any StorageWriter, _ identity: StorageIdentity?) {
        self.memory = memory
        self.identity = identity
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try memory.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        try memory.scan(query, visit)
    }

    func count(_ query: Query) throws -> Int { try memory.count(query) }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try memory.put(row, in: collection)
        frame.note(.put, collection.name, row.copyBytes())
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        var row: [UInt8] = []
        guard try memory.get(key, in: collection, { row = $0.copyBytes() }) else { return false }
        frame.note(.delete, collection.name, row)
        return try memory.delete(key, in: collection)
    }

    func deleteAll(in collection: CollectionSchema) throws {
        try memory.deleteAll(in: collection)
        frame.note(.deleteAll, collection.name)
    }
}
