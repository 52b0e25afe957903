/// A storage that wraps another one; calls that it does not implement are passed to the inner storage.
///
///     struct TimedStorage: StorageWrapper {
///         let inner: any Storage
///
///         func write<Result: Sendable>(
///             _ body: @Sendable (any StorageWriter) throws -> Result
///         ) async throws -> Result {
///             let start = ContinuousClock.now
///             defer { print(.now - start) }
///             return try await inner.write(body)
///         }
///     }
///
/// Maintenance is passed on as well. A wrapper that conforms only to `Storage` would get the protocol's default
/// implementations, which check and compact nothing.
package protocol StorageWrapper: Storage {
    /// The wrapped storage.
    var inner: any Storage { get }
}

extension StorageWrapper {
    package var features: StorageFeatures { inner.features }

    package func open(_ opening: StorageOpening) async throws -> Schema { try await inner.open(opening) }

    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await inner.read(body)
    }

    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await inner.write(body)
    }

    package func revision() async throws -> UInt64 { try await inner.revision() }

    package func describe() async throws -> StorageDescription { try await inner.describe() }

    package func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        try await inner.verifyFiles(progress: progress)
    }

    package func compact(progress: WorkProgress.Handler) async throws {
        try await inner.compact(progress: progress)
    }

    package func backup(to path: String, progress: WorkProgress.Handler) async throws {
        try await inner.backup(to: path, progress: progress)
    }

    package func erase() async throws { try await inner.erase() }

    package func close() async throws { try await inner.close() }
}

/// A transaction that wraps another one; calls that it does not implement are passed to the inner one. See
/// ``StorageWrapper``.
package protocol StorageWriterWrapper: StorageWriter {
    /// The wrapped transaction.
    var inner: any StorageWriter { get }
}

extension StorageWriterWrapper {
    package var identity: StorageIdentity? { inner.identity }

    package func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try inner.get(key, in: collection, fields: fields, visit)
    }

    package func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        try inner.scan(query, visit)
    }

    package func count(_ query: Query) throws -> Int { try inner.count(query) }

    package func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try inner.put(row, in: collection)
    }

    package func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        try inner.delete(key, in: collection)
    }

    package func deleteAll(in collection: CollectionSchema) throws { try inner.deleteAll(in: collection) }
}
