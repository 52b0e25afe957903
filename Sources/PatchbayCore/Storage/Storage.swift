/// A place where collections live. This is the protocol a storage plugin implements; applications use ``Store``.
///
/// Reads and writes are asynchronous to start and synchronous inside: the closure runs to its end in one transaction,
/// with no suspension, on whatever thread the storage chooses. A storage that can read without blocking runs the
/// closure on the caller's thread; writes, which wait for the disk, run on a ``BlockingExecutor``: on a thread of their
/// own, or, while they are quick and no other write in the process does, on the caller's.
///
/// What every storage promises stands in Docs/Promises.md; `StorageConformance` in PatchbayTestKit tests it.
public protocol Storage: Sendable {
    var features: StorageFeatures { get }

    /// Opens the storage; creates or migrates its collections where the access allows it. Called once, before anything
    /// else.
    ///
    /// - Returns: all collections that the storage holds now, under their version: those of the requested schema, then
    ///   others that are stored, whichever program declared them.
    /// - Throws: `notFound` when nothing is stored and the access creates nothing; `unsupported` when the stored schema
    ///   is newer, cannot be migrated, or would have to be migrated to be read; `corrupted` when the files are damaged,
    ///   which an existing empty file is too; `invalidConfiguration` when the path holds something else; `busy` when
    ///   another process holds the storage; `permissionDenied`, `storageFull`. In each case nothing stored has changed.
    @discardableResult
    func open(_ opening: StorageOpening) async throws -> Schema

    /// Runs `body` against one consistent snapshot.
    ///
    /// As long as `body` has read nothing it may run again from its start.
    func read<Result: Sendable>(_ body: @Sendable (any StorageReader) throws -> Result) async throws -> Result

    /// Runs `body` as the only writer; commits when it returns, rolls back when it throws.
    ///
    /// The body of a write may run again from its start: a storage that loses its server in the middle, or that other
    /// writers have kept from committing, rolls back and tries once more. So a body has no effect but through its
    /// writer and its result; what it counts or collects outside would be there twice. The result is that of the run
    /// that was committed.
    ///
    /// - Throws: what `body` throws, or `storageFull`, `busy`, `permissionDenied` when the commit fails: nothing of
    ///   this transaction is kept then, and the storage stays usable.
    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) async throws
        -> Result

    /// A number that changes with every commit, by this process or another.
    ///
    /// A read that begins after the call sees the commit that the number stands for, or a later one: observers read
    /// when the number has changed, and not again before it changes once more.
    func revision() async throws -> UInt64

    /// Says what the storage keeps where.
    func describe() async throws -> StorageDescription

    /// Checks everything that the storage's own format lets it check, beyond what reading every row along every index
    /// shows (`Store.verify` does that): checksums, page structure, the engine's own integrity check.
    ///
    /// - Returns: what was found, at most 100 faults; empty when all is well.
    func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault]

    /// Gives back the space of what was deleted or replaced. Reads and writes of this process may wait meanwhile.
    func compact(progress: WorkProgress.Handler) async throws

    /// Writes a consistent copy of the storage, as of one moment, that opens like the original. Reads and writes go on
    /// meanwhile.
    ///
    /// - Parameter path: where no file or folder is yet.
    /// - Throws: `conflict` when something is there already; when it fails, nothing stays at the path.
    func backup(to path: String, progress: WorkProgress.Handler) async throws

    /// Removes everything that the storage keeps on a server, so that nothing is stored there any more. It is not open
    /// meanwhile. A storage that is not there is erased already.
    ///
    /// - Throws: `unsupported` when the storage keeps files, which whoever has them removes.
    func erase() async throws

    /// Waits for the writer to finish and gives everything back. A second call does nothing.
    func close() async throws
}

/// Reads inside one transaction. Valid until the closure returns.
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
    public func get(
        _ key: Key, in collection: CollectionSchema, _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try get(key, in: collection, fields: .all, visit)
    }
}

/// Reads and writes inside one transaction. Sees its own writes.
///
/// A call that throws has changed nothing, and the transaction may go on.
public protocol StorageWriter: StorageReader {
    /// Inserts the row, or replaces the one with the same key.
    ///
    /// - Throws: `conflict` when a unique index holds another row with the same values; `invalidValue` when a key is
    ///   longer than ``Limits/keyBytes``.
    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws

    /// Returns false when there was no such row.
    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool

    func deleteAll(in collection: CollectionSchema) throws
}

/// Whether a walk goes on.
public enum Step: Sendable { case next, stop }

/// What a storage can do beyond the protocol. The conformance suite runs the tests that its features call for.
public struct StorageFeatures: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Data is still there after the process ends.
    public static let durable = StorageFeatures(rawValue: 1 << 0)
    /// Several processes may open the same data.
    public static let sharedBetweenProcesses = StorageFeatures(rawValue: 1 << 1)
    /// Reads go on while a write is open, and see the state before it.
    public static let readsDuringWrite = StorageFeatures(rawValue: 1 << 2)
    /// ``Storage/backup(to:progress:)`` copies the storage while it is in use, and opening with a newer schema keeps
    /// such a copy of the old state beside it, as `NAME.before-schema-N`.
    public static let backup = StorageFeatures(rawValue: 1 << 3)
    /// Several machines may open the same data: it is kept by a server, and no file of it lies here.
    public static let sharedBetweenMachines = StorageFeatures(rawValue: 1 << 4)
}

/// How far a committed write has got when `write` returns: the option `storage.durability` of every durable storage.
public enum Durability: String, Sendable, CaseIterable {
    /// On the disk: survives a power cut.
    case full
    /// Handed to the operating system: survives the end of the process; a power cut may lose the newest commits, but
    /// never damages older ones.
    case normal
    /// As fast as it goes: survives the end of the process; a power cut may damage the storage.
    case off
}
