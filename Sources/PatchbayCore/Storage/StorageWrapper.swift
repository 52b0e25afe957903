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
    /// The features of the inner storage.
    package var features: StorageFeatures { inner.features }

    /// Opens the inner storage.
    package func open(_ opening: StorageOpening) async throws -> Schema { try await inner.open(opening) }

    /// Reads from the inner storage.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await inner.read(body)
    }

    /// Writes to the inner storage.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await inner.write(body)
    }

    /// The revision of the inner storage.
    package func revision() async throws -> UInt64 { try await inner.revision() }

    /// Describes the inner storage.
    package func describe() async throws -> StorageDescription { try await inner.describe() }

    /// Checks the files of the inner storage.
    package func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        try await inner.verifyFiles(progress: progress)
    }

    /// Compacts the inner storage.
    package func compact(progress: WorkProgress.Handler) async throws {
        try await inner.compact(progress: progress)
    }

    /// Backs up the inner storage.
    package func backup(to path: String, progress: WorkProgress.Handler) async throws {
        try await inner.backup(to: path, progress: progress)
    }

    /// Erases the inner storage.
    package func erase() async throws { try await inner.erase() }

    /// Closes the inner storage.
    package func close() async throws { try await inner.close() }
}

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
