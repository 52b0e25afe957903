package import PatchbayCore

/// A storage that wraps another and fails as planned, for testing code that uses a storage.
///
/// The storage keeps its promises: a write that throws leaves no changes. A `put` that fails ends its transaction in
/// the middle; a `commit` that fails ends one whose body has run to its end.
package struct FailingStorage: StorageWrapper {
    /// The operations that can fail.
    package enum Operation: String, Sendable, CaseIterable {
        /// A call of the storage, or a step inside a write transaction: `put`, `delete`, `commit`.
        case open, read, write, put, delete, commit, revision, close
    }

    /// The wrapped storage.
    package let inner: any Storage
    private let plan: FaultPlan<Operation>

    /// Wraps a storage; the test keeps the plan to set faults and to read the counts.
    package init(_ inner: any Storage, _ plan: FaultPlan<Operation>) {
        self.inner = inner
        self.plan = plan
    }

    /// Opens the wrapped storage, unless the plan fails `open`.
    package func open(_ opening: StorageOpening) async throws -> Schema {
        try await plan.begin(.open)
        return try await inner.open(opening)
    }

    /// Reads from the wrapped storage, unless the plan fails `read`; `body` does not run then.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await plan.begin(.read)
        return try await inner.read(body)
    }

    /// Writes to the wrapped storage, unless the plan fails `write`. A failing `put`, `delete` or `commit` rolls the
    /// transaction back.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await plan.begin(.write)
        return try await inner.write { [plan] writer in
            let result = try body(FailingWriter(writer, plan))
            try plan.pass(.commit)
            return result
        }
    }

    /// Returns the revision of the wrapped storage, unless the plan fails `revision`.
    package func revision() async throws -> UInt64 {
        try await plan.begin(.revision)
        return try await inner.revision()
    }

    /// Closes the wrapped storage even when the operation is to fail, so that a test leaves nothing open.
    package func close() async throws {
        try await inner.close()
        try await plan.begin(.close)
    }
}

/// A write transaction whose changes can fail.
private final class FailingWriter: StorageWriterWrapper {
    let inner: any StorageWriter
    private let plan: FaultPlan<FailingStorage.Operation>

    init(_ inner: any StorageWriter, _ plan: FaultPlan<FailingStorage.Operation>) {
        self.inner = inner
        self.plan = plan
    }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try plan.pass(.put)
        try inner.put(row, in: collection)
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        try plan.pass(.delete)
        return try inner.delete(key, in: collection)
    }

    func deleteAll(in collection: CollectionSchema) throws {
        try plan.pass(.delete)
        try inner.deleteAll(in: collection)
    }
}
