import PatchbayCore

/// A storage that says how many rows each committed transaction put.
struct MeasuredStorage: Storage {
    let inner: any Storage
    let saved: @Sendable (_ collection: String, _ rows: Int) -> Void

    var features: StorageFeatures { inner.features }

    func open(_ schema: Schema, progress: @escaping WorkProgress.Handler) async throws {
        try await inner.open(schema, progress: progress)
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await inner.read(body)
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        let (result, rows) = try await inner.write { writer in
            let counting = CountingWriter(writer)
            return (try body(counting), counting.rows)
        }
        for (collection, count) in rows { saved(collection, count) }
        return result
    }

    func revision() async throws -> UInt64 { try await inner.revision() }
    func describe() async throws -> StorageDescription { try await inner.describe() }
    func close() async throws { try await inner.close() }

    func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        try await inner.verifyFiles(progress: progress)
    }

    func compact(progress: WorkProgress.Handler) async throws { try await inner.compact(progress: progress) }

    func backup(to path: String, progress: WorkProgress.Handler) async throws {
        try await inner.backup(to: path, progress: progress)
    }
}

/// Passes a transaction on and counts its puts.
private final class CountingWriter: StorageWriter {
    private let inner: any StorageWriter
    private(set) var rows: [String: Int] = [:]

    init(_ inner: any StorageWriter) { self.inner = inner }

    func get(
        _ key: Key, in collection: Collection, fields: FieldSet, _ visit: (borrowing Row) throws -> Void
    ) throws -> Bool {
        try inner.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing Row) throws -> Step) throws {
        try inner.scan(query, visit)
    }

    func count(_ query: Query) throws -> Int { try inner.count(query) }

    func put(_ row: borrowing Row, in collection: Collection) throws {
        try inner.put(row, in: collection)
        rows[collection.name, default: 0] += 1
    }

    func delete(_ key: Key, in collection: Collection) throws -> Bool {
        try inner.delete(key, in: collection)
    }

    func deleteAll(in collection: Collection) throws { try inner.deleteAll(in: collection) }
}
