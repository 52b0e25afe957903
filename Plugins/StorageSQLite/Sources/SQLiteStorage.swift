public import PatchbayCore
import Synchronization

/// Keeps collections in one SQLite file: a table each, with real columns and indexes, so that every SQL
/// tool reads it.
///
/// Reads run on the caller's thread, each on a connection and a snapshot of its own, and go on while a
/// write is open. Writes run one after another on a thread of their own. Other processes may use the file
/// at the same time, the `sqlite3` shell among them.
///
///     let storage = SQLiteStorage(path: "/home/me/patchbay.sqlite")
///     let store = try await Store(storage, schema: schema)
///
/// Text that another program has written may hold U+0000, which Patchbay refuses to write; it is read as it
/// stands.
public final class SQLiteStorage: Storage {
    public let path: String
    private let options: ConnectionOptions
    private let writer: Writer
    private let readers: ReaderPool
    private let watch = Mutex(Watch())

    /// Touches no file yet; `open(_:)` does.
    ///
    /// - Parameters:
    ///   - path: the file; its folder must exist.
    ///   - durability: what a committed write survives.
    ///   - busyTimeoutMilliseconds: how long to wait for another process that holds the file.
    ///   - readersMax: how many reads may go on at the same time; a further one waits its turn.
    public init(
        path: String, durability: Durability = .full, busyTimeoutMilliseconds: Int = 5_000,
        readersMax: Int = 8
    ) {
        precondition(readersMax > 0, "a storage needs a reader")
        self.path = path
        options = ConnectionOptions(
            path: path, durability: durability, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        writer = Writer(options)
        readers = ReaderPool(readersMax: readersMax, path: path)
    }

    public var features: StorageFeatures { [.durable, .sharedBetweenProcesses, .readsDuringWrite, .backup] }

    public func open(_ opening: StorageOpening) async throws -> Schema {
        guard let schema = opening.schema else { throw PatchbayError(.unsupported, "no schema") }
        var options = options
        options.path = try await writer.open(schema, opening.progress)
        watch.withLock { $0.options = options }
        readers.open(options, schema.collections)
        return schema
    }

    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let reader = try await readers.take()
        defer { readers.giveBack(reader) }
        return try reader.read(body)
    }

    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await writer.write(body)
    }

    public func revision() async throws -> UInt64 {
        let options = try openOptions()
        return try watch.withLock { watch in
            let reader = try watch.reader ?? Reader([], options)
            watch.reader = reader
            return try reader.dataVersion()
        }
    }

    public func describe() async throws -> StorageDescription {
        var settings = try await writer.settings()
        let reader = try await readers.take()
        defer { readers.giveBack(reader) }
        settings += try ["mmap_size", "cache_size"].map { .init("\($0) of reads", try reader.setting($0)) }
        let file = DatabaseFile(path: try openOptions().path)
        return StorageDescription(
            engine: "SQLite " + Connection.engineVersion, path: file.path, files: try file.files(),
            settings: settings)
    }

    public func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        try await maintenance().verify(progress)
    }

    public func compact(progress: WorkProgress.Handler) async throws { try await writer.compact(progress) }

    public func backup(to path: String, progress: WorkProgress.Handler) async throws {
        try await maintenance().copy(to: path, progress)
    }

    public func close() async throws {
        await watch.withLock { $0.maintenance }?.finish()
        await readers.close()
        watch.withLock { $0 = Watch() }
        try await writer.close()
    }

    /// - Throws: `unsupported` while the storage is closed.
    private func openOptions() throws -> ConnectionOptions {
        guard let options = watch.withLock({ $0.options }) else { throw PatchbayError.storageNotOpen(path) }
        return options
    }

    private func maintenance() throws -> Maintenance {
        let options = try openOptions()
        return watch.withLock { watch in
            let maintenance = watch.maintenance ?? Maintenance(options)
            watch.maintenance = maintenance
            return maintenance
        }
    }

    /// What is made when it is first asked for.
    private struct Watch {
        /// Nil while the storage is closed.
        var options: ConnectionOptions?
        /// A connection for ``revision()`` alone. It never writes, so what it is told about commits includes
        /// this process's own.
        var reader: Reader?
        var maintenance: Maintenance?
    }
}
