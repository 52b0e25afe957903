/// Stores collections. This is the protocol that a storage plugin implements; applications use ``Store``.
///
/// Reads and writes start asynchronously but run synchronously: the closure runs to its end in one transaction, without
/// suspension, on any thread that the storage chooses. A storage that can read without blocking runs the closure on the
/// caller's thread. Writes, which wait for the disk, run on a ``BlockingExecutor``: on its own thread, or on the
/// caller's while they are quick and no other write in the process runs there.
///
/// Docs/Promises.md lists the guarantees of every storage; `StorageConformance` in PatchbayTestKit tests them.
public protocol Storage: Sendable {
    /// The optional capabilities, which may depend on how the storage was opened.
    var features: StorageFeatures { get }

    /// Opens the storage; creates or migrates its collections if the access allows it. Called before any other method,
    /// and again after ``close()``, when the stored data may have changed. If a durable storage is open already, it
    /// throws `busy` and stays open.
    ///
    /// - Returns: all collections in the storage, under their version: those of the requested schema, then other stored
    ///   ones, whichever program declared them.
    /// - Throws: `notFound` when nothing is stored and the access creates nothing; `unsupported` when the stored schema
    ///   is newer, cannot be migrated, or would have to be migrated to be read; `corrupted` when the files are damaged,
    ///   including an existing empty file; `invalidConfiguration` when the path is something else; `busy` when another
    ///   process holds the storage; `permissionDenied`, `storageFull`. In each case stored data is unchanged.
    @discardableResult
    func open(_ opening: StorageOpening) async throws -> Schema

    /// Runs `body` in a read transaction on a consistent snapshot.
    ///
    /// Until `body` has read something, it may be run again from its start.
    func read<Result: Sendable>(_ body: @Sendable (any StorageReader) throws -> Result) async throws -> Result

    /// Runs `body` as the only writer; commits when it returns, rolls back when it throws.
    ///
    /// The body of a write may run again from its start: a storage that loses its server during the write, or that
    /// other writers have kept from committing, rolls back and tries once more. So a body must have no effects except
    /// through its writer and its result; anything it counts or collects outside could be counted twice. The result is
    /// that of the committed run.
    ///
    /// - Throws: the error of `body`, or `storageFull`, `busy`, `permissionDenied` when the commit fails. In both cases
    ///   nothing of this transaction is stored, and the storage stays usable.
    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) async throws
        -> Result

    /// The revision of the storage, which increases with every commit from any process.
    ///
    /// A read that starts after this call sees at least that commit, so an observer needs to read only when the
    /// revision has changed.
    func revision() async throws -> UInt64

    /// Describes the storage's engine, files and settings.
    func describe() async throws -> StorageDescription

    /// Runs all checks that the storage's own format allows, such as checksums, page structure and the engine's
    /// integrity check. `Store.verify` additionally reads every row along every index.
    ///
    /// - Returns: at most 100 faults; empty when there are none.
    func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault]

    /// Releases the space of deleted or replaced data. Reads and writes of this process may have to wait.
    func compact(progress: WorkProgress.Handler) async throws

    /// Writes a consistent copy of the storage that opens like the original. Reads and writes continue in the meantime.
    ///
    /// - Parameter path: a path at which no file or folder exists.
    /// - Throws: `conflict` when something exists at the path; after a failure, nothing is left there.
    func backup(to path: String, progress: WorkProgress.Handler) async throws

    /// Removes everything that the storage has stored on a server. The storage must not be open. Erasing a storage that
    /// does not exist succeeds.
    ///
    /// - Throws: `unsupported` when the storage consists of files, which the user removes instead.
    func erase() async throws

    /// Waits for the writer to finish and releases all resources. A second call does nothing.
    func close() async throws
}

/// Reads inside one transaction. Valid until the closure returns. A collection that the storage was not opened with is
/// refused with `unsupported`.
///
/// A visitor must not write to the collection that it is visiting.
public protocol StorageReader: AnyObject {
    /// Visits the row with this key. Returns false when there is none.
    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool

    /// Visits rows in the order of the query's index until the limit, or until `visit` returns ``Step/stop``.
    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws

    /// Counts the rows that ``scan(_:_:)`` would visit, up to the query's limit, without reading them.
    func count(_ query: Query) throws -> Int
}

extension StorageReader {
    /// Visits the row with this key, with all of its fields. Returns false when there is none.
    public func get(
        _ key: Key, in collection: CollectionSchema, _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try get(key, in: collection, fields: .all, visit)
    }
}

/// Reads and writes inside one transaction. Sees its own writes.
///
/// A call that throws has changed nothing, and the transaction may continue.
public protocol StorageWriter: StorageReader {
    /// What distinguishes this storage from a copy of it, and from its state before commits were lost; nil for a
    /// storage that ends with the process.
    var identity: StorageIdentity? { get }

    /// Inserts the row, or replaces the one with the same key.
    ///
    /// - Throws: `conflict` with the index as ``PatchbayError/Detail/index(_:)`` when a unique index contains another
    ///   row with the same values; `invalidValue` when a key is longer than ``Limits/keyBytes``.
    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws

    /// Returns false when there was no such row.
    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool

    /// Deletes every row of the collection.
    func deleteAll(in collection: CollectionSchema) throws
}

extension StorageWriter {
    /// Nil, for storages that are not durable.
    public var identity: StorageIdentity? { nil }
}

/// Whether a walk continues.
public enum Step: Sendable { case next, stop }

/// Optional capabilities of a storage. The conformance suite runs the tests that apply to its features.
public struct StorageFeatures: OptionSet, Sendable {
    /// One bit for each feature.
    public let rawValue: Int

    /// Creates a set from its bits; programs combine the features below instead.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Data persists after the process ends.
    public static let durable = StorageFeatures(rawValue: 1 << 0)
    /// Several processes may open the same data.
    public static let sharedBetweenProcesses = StorageFeatures(rawValue: 1 << 1)
    /// Reads continue while a write is open, and see the state before it.
    public static let readsDuringWrite = StorageFeatures(rawValue: 1 << 2)
    /// ``Storage/backup(to:progress:)`` copies the storage while it is in use. Opening with a newer schema first saves
    /// such a copy of the old state next to it, as `NAME.before-schema-N`.
    public static let backup = StorageFeatures(rawValue: 1 << 3)
    /// Several machines may open the same data, which is on a server and not in local files.
    public static let sharedBetweenMachines = StorageFeatures(rawValue: 1 << 4)
}

/// How durable a committed write is when `write` returns: the option `storage.durability` of every durable storage.
public enum Durability: String, Sendable, CaseIterable {
    /// On the disk: survives a power cut.
    case full
    /// Passed to the operating system: survives the end of the process. A power cut may lose the newest commits, but
    /// never damages older ones.
    case normal
    /// As fast as possible: survives the end of the process; a power cut may damage the storage.
    case off
}
