import PatchbayCore
import Synchronization

/// A memory storage that counts the rows visited by reads.
final class VisitCountingStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    private let count = Mutex(0)

    var visits: Int { count.withLock { $0 } }

    fileprivate func note() { count.withLock { $0 += 1 } }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await inner.read { try body(VisitCountingReader($0, self)) }
    }
}

private final class VisitCountingReader: StorageReader {
    private let reader: any StorageReader
    private let storage: VisitCountingStorage

    init(_ reader: any StorageReader, _ storage: VisitCountingStorage) {
        self.reader = reader
        self.storage = storage
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        storage.note()
        return try reader.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        try reader.scan(query) { row in
            storage.note()
            return try visit(row)
        }
    }

    func count(_ query: Query) throws -> Int { try reader.count(query) }
}
