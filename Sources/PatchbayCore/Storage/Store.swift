import Synchronization

/// The storage interface for applications: typed records and change notices over any ``Storage``.
public final class Store: Sendable {
    /// The storage itself, for maintenance. A write that bypasses the store sends no notice to ``changes``.
    package let storage: any Storage
    /// All collections in the storage, whichever program declared them.
    package let schema: Schema
    /// Notices of collections that may have changed, by this store or by other processes.
    public let changes: ChangeFeed
    /// The collections of ``schema`` that a storage opened for reading does not contain; they are read as empty.
    private let missing: Set<String>
    private let sparesCallers = Atomic(false)
    private let promptness = Promptness()

    /// Opens the storage.
    ///
    /// - Parameters:
    ///   - schema: the collections to store; nil for those that are stored, whichever program declared them.
    ///   - access: the permitted changes to the files.
    ///   - polling: how often to check for commits of other processes while ``changes`` is observed.
    ///   - progress: called during long work, such as a migration or an index build.
    package convenience init(
        _ storage: any Storage, schema: Schema?, access: StorageAccess = .creating,
        polling: Polling = Polling(), progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws {
        if access == .reading {
            try await self.init(reading: storage, polling: polling, progress: progress) { _ in schema }
        } else {
            let held = try await storage.open(StorageOpening(schema, access, progress: progress))
            self.init(storage, held, polling: polling)
        }
    }

    /// Opens the storage for reading, which changes no file. Collections that it lacks have no rows.
    ///
    /// - Parameter choose: returns the collections to read, given those that are stored; nil to read these.
    package convenience init(
        reading storage: any Storage, polling: Polling = Polling(),
        progress: @escaping WorkProgress.Handler = { _ in },
        choosing choose: (_ stored: Schema) throws -> Schema?
    ) async throws {
        let stored = try await storage.open(StorageOpening(nil, .reading, progress: progress))
        do {
            let schema = try choose(stored)
            self.init(
                storage, schema?.joined(with: stored.collections) ?? stored,
                missing: try schema?.missing(from: stored) ?? [], polling: polling)
        } catch {
            // The first error is the one to report.
            try? await storage.close()
            throw error
        }
    }

    private init(_ storage: any Storage, _ held: Schema, missing: Set<String> = [], polling: Polling) {
        self.storage = storage
        self.missing = missing
        schema = held
        changes = ChangeFeed(
            storage.features.contains(.sharedBetweenProcesses)
                ? RevisionPoll(
                    storage: storage, collections: Set(held.collections.map(\.name)), polling: polling)
                : nil)
    }

    /// Runs `body` in a read transaction on a consistent snapshot.
    ///
    /// Until `body` has read something, it may be run again from its start.
    public func read<Result: Sendable>(
        _ body: @Sendable (borrowing Reading) throws -> Result
    ) async throws -> Result {
        if sparesCaller {
            return try await StorageThreads.shared.run { [storage, missing] in
                try await storage.read { try body(Reading($0, missing: missing)) }
            }
        }
        return try await storage.read { [missing] in try body(Reading($0, missing: missing)) }
    }

    /// Writes, then notifies the observers of the collections that changed.
    public func write<Result: Sendable>(
        _ body: @Sendable (inout Writing) throws -> Result
    ) async throws -> Result {
        let (result, touched) = try await waiting { storage in
            try await storage.write { writer in
                var writing = Writing(writer)
                let result = try body(&writing)
                return (result, writing.touched)
            }
        }
        changes.send(touched)
        return result
    }

    /// The revision of the storage, which increases with every commit from any process.
    package func revision() async throws -> UInt64 { try await waiting { try await $0.revision() } }

    /// From now on, no storage is waited for on the threads of callers, for a server whose threads serve many
    /// connections.
    package func spareCallers() { sparesCallers.store(true, ordering: .relaxed) }

    /// Runs work that may wait for the storage: on ``StorageThreads`` after ``spareCallers()``, and for a task that
    /// prefers an executor, such as an event loop; else on the caller's thread.
    package func waiting<Result: Sendable>(
        _ work: @Sendable (any Storage) async throws -> Result
    ) async throws -> Result {
        let storage = storage
        guard sparesCaller else { return try await work(storage) }
        return try await StorageThreads.shared.run { try await work(storage) }
    }

    /// Runs work for a caller that can continue without the storage. After ``spareCallers()`` it waits only for a short
    /// time, after which the work continues without the caller, and not at all while earlier work is late; else as long
    /// as it takes.
    ///
    /// - Parameter limit: a longer time to wait, for a caller whose other way has failed.
    /// - Throws: ``StorageDelay`` instead of waiting longer, and the errors of `work`.
    package func soon<Result: Sendable>(
        within limit: Duration? = nil, _ work: @escaping @Sendable (Store) async throws -> Result
    ) async throws -> Result {
        guard sparesCallers.load(ordering: .relaxed) else { return try await work(self) }
        return try await promptness.run(within: limit) { try await work(self) }
    }

    /// Whether reads wait for the storage on the threads of their callers.
    package var waitsOnCaller: Bool { !sparesCaller }

    private var sparesCaller: Bool {
        guard
            unsafe sparesCallers.load(ordering: .relaxed)
                || withUnsafeCurrentTask(body: { unsafe $0?.unownedTaskExecutor != nil })
        else { return false }
        return ThreadUse.current != .waiting
    }

    /// Ends the change notices and closes the storage.
    public func close() async throws {
        changes.finish()
        try await storage.close()
    }
}

/// Typed reads inside a transaction.
public struct Reading: ~Copyable {
    /// The storage's own reader, for code that keeps it while the transaction is open. It must not read a collection
    /// that the storage lacks.
    @usableFromInline package let reader: any StorageReader
    /// Collections that the storage does not contain.
    @usableFromInline package let missing: Set<String>

    init(_ reader: any StorageReader, missing: Set<String> = []) {
        self.reader = reader
        self.missing = missing
    }

    @inlinable func lacks(_ collection: CollectionSchema) -> Bool {
        !missing.isEmpty && missing.contains(collection.name)
    }

    /// Returns the record with this key; nil when there is none.
    @inlinable public func get<R: StoredRecord>(_ type: R.Type, _ key: Key) throws -> R? {
        var record: R?
        if lacks(R.collection) { return nil }
        _ = try reader.get(key, in: R.collection) { record = R($0) }
        return record
    }

    /// Visits the row with this key in place, without creating a record. Returns false when there is none.
    public func get(
        _ key: Key, in collection: CollectionSchema, _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try !lacks(collection) && reader.get(key, in: collection, visit)
    }

    /// The records that match a query; at most ``Limits/pageRows``.
    @inlinable public func list<R: StoredRecord>(_ type: R.Type, _ query: Query) throws -> [R] {
        precondition(
            query.collection === R.collection, "a query of \(query.collection.name) for another record")
        var query = query
        query.limit = min(query.limit, Limits.pageRows)
        var records: [R] = []
        if lacks(query.collection) { return records }
        // Reserves room for a page; a longer result grows the array.
        records.reserveCapacity(min(query.limit, 128))
        try reader.scan(query) {
            records.append(R($0))
            return .next
        }
        return records
    }

    /// Visits rows in place, without creating records.
    public func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        if !lacks(query.collection) { try reader.scan(query, visit) }
    }

    /// Counts the rows that a query matches, up to its limit, without reading them.
    public func count(_ query: Query) throws -> Int { lacks(query.collection) ? 0 : try reader.count(query) }
}

/// Typed reads and writes inside a transaction.
public struct Writing: ~Copyable {
    /// Reads in the same transaction, which see its writes.
    public let reading: Reading
    @usableFromInline let writer: any StorageWriter
    @usableFromInline var builder = RowBuilder()
    private(set) var touched: Set<String> = []
    /// The change number of the transaction, once it was taken.
    var takenNumber: Int64?
    /// The collection changed last; most transactions change only one.
    @usableFromInline var lastTouched: CollectionSchema?

    init(_ writer: any StorageWriter) {
        self.writer = writer
        self.reading = Reading(writer)
    }

    /// Inserts the record, or replaces the one with the same key.
    ///
    /// - Throws: `conflict` when a unique index contains another row with the same values; `invalidValue` when a value
    ///   cannot be stored.
    @inlinable public mutating func put<R: StoredRecord>(_ record: R) throws {
        let collection = R.collection
        builder.begin(collection)
        record.write(to: &builder)
        try writer.put(builder.finish(), in: collection)
        touch(collection)
    }

    /// Puts a row that is already packed.
    public mutating func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try writer.put(row, in: collection)
        touch(collection)
    }

    /// Deletes the record with this key. Returns false when there was none.
    @discardableResult
    public mutating func delete<R: StoredRecord>(_ type: R.Type, _ key: Key) throws -> Bool {
        let wasThere = try writer.delete(key, in: R.collection)
        if wasThere { touch(R.collection) }
        return wasThere
    }

    /// Deletes a row of a collection known only at run time.
    @discardableResult
    public mutating func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let wasThere = try writer.delete(key, in: collection)
        if wasThere { touch(collection) }
        return wasThere
    }

    /// Deletes every record of this type.
    public mutating func deleteAll<R: StoredRecord>(_ type: R.Type) throws { try deleteAll(in: R.collection) }

    /// Deletes every row of a collection known only at run time.
    public mutating func deleteAll(in collection: CollectionSchema) throws {
        try writer.deleteAll(in: collection)
        touch(collection)
    }

    @usableFromInline mutating func touch(_ collection: CollectionSchema) {
        if collection === lastTouched { return }
        touched.insert(collection.name)
        lastTouched = collection
    }
}
