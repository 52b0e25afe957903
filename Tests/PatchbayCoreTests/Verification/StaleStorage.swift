import PatchbayCore
import Synchronization

/// A storage that saves the rows from which its indexes were built in a second collection, so that a test can make the
/// two differ.
final class StaleStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    private let afterRead = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func describe() async throws -> StorageDescription { StorageDescription(engine: "stale") }

    func open(_ opening: StorageOpening) async throws -> Schema {
        let collections = opening.schema?.collections ?? []
        try await inner.open(Schema(version: 1, collections + collections.map(\.indexed)))
        return Schema(version: 1, collections)
    }

    /// Runs `body` after every read, as another process might write between two reads.
    func disturb(_ body: @escaping @Sendable () async throws -> Void) { afterRead.withLock { $0 = body } }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let result = try await inner.read { try body(StaleTransaction(reader: $0, writer: nil)) }
        try await afterRead.withLock { $0 }?()
        return result
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await inner.write { try body(StaleTransaction(reader: $0, writer: $0)) }
    }
}

extension CollectionSchema {
    /// The collection of the rows from which the indexes were built.
    var indexed: CollectionSchema { CollectionSchema(definition: "indexed_" + definition)! }
}

private final class StaleTransaction: StorageWriter {
    private let reader: any StorageReader
    private let writer: (any StorageWriter)?

    init(reader: any StorageReader, writer: (any StorageWriter)?) {
        self.reader = reader
        self.writer = writer
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try reader.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        if query.walksPrimaryKey { return try reader.scan(query, visit) }
        try reader.scan(query.indexed) { entry in
            var step = Step.next
            let key = query.collection.key(of: entry)
            _ = try reader.get(key, in: query.collection) { step = try visit($0) }
            return step
        }
    }

    func count(_ query: Query) throws -> Int {
        try reader.count(query.walksPrimaryKey ? query : query.indexed)
    }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try writer!.put(row, in: collection)
        try writer!.put(row, in: collection.indexed)
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        _ = try writer!.delete(key, in: collection.indexed)
        return try writer!.delete(key, in: collection)
    }

    func deleteAll(in collection: CollectionSchema) throws {
        try writer!.deleteAll(in: collection.indexed)
        try writer!.deleteAll(in: collection)
    }
}

extension Query {
    fileprivate var indexed: Query {
        var query = self
        query.collection = collection.indexed
        return query
    }
}
