package import PatchbayCore
import Synchronization

/// Stores collections in one SQLite file, each as a table with real columns and indexes that any SQL tool can
/// read.
///
/// Each read runs on the caller's thread, with its own connection and snapshot, and continues while a write is
/// open. Writes run one after another on a thread of their own. Other processes, such as the `sqlite3` shell,
/// may use the file at the same time.
///
///     let storage = SQLiteStorage(path: "/home/me/patchbay.sqlite")
///     let store = try await Store(storage, schema: schema)
///
/// Text written by another program may contain U+0000, which Patchbay refuses to write; it is returned
/// unchanged.
package final class SQLiteStorage: Storage {
    /// The path of the file as it was passed to the initializer.
    package let path: String
    private let options: ConnectionOptions
    private let writer: Writer
    private let readers: Pool<Reader>
    /// For operations that read the whole file, so that reads and writes do not wait for them.
    private let maintenance = WorkThread("sqlite.maintenance")
    private let watch = Mutex(Watch())
    /// True once the file was found to be removed or replaced.
    private let goneMark = Atomic(false)

    /// Creates a storage without touching the file, which `open(_:)` does.
    ///
    /// - Parameters:
    ///   - path: the file; its folder must exist.
    ///   - durability: the failures that a committed write survives.
    ///   - busyTimeoutMilliseconds: the time to wait for another process that holds the file.
    ///   - readersMax: the number of reads that may run at the same time; further ones wait in turn.
    package init(
        path: String, durability: Durability = .full, busyTimeoutMilliseconds: Int = 5_000,
        readersMax: Int = 8
    ) {
        precondition(readersMax > 0, "a storage needs a reader")
        self.path = path
        options = ConnectionOptions(
            path: path, durability: durability, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        writer = Writer(options)
        readers = Pool(membersMax: readersMax, whenClosed: .storageNotOpen(path)) { try $0.isCurrent() }
    }

    /// Durable, shared between processes, readable during a write, and able to copy itself.
    package var features: StorageFeatures { [.durable, .sharedBetweenProcesses, .readsDuringWrite, .backup] }

    /// Opens the file, or creates it if the access allows it, and migrates it to the schema if necessary.
    @discardableResult
    package func open(_ opening: StorageOpening) async throws -> Schema {
        let early = writer.early { try $0.open(opening, isShort: true) }
        let opened = if let early { early } else { try await writer.open(opening) }
        watch.withLock { $0.opened = opened }
        readers.open { [writer] in
            try Reader(opened.schema.collections, opened.options, writer.firstConnection.take())
        }
        return opened.schema
    }

    /// Runs `body` on the caller's thread, on a snapshot; waits in turn while the greatest number of reads is running.
    ///
    /// - Throws: the error of `body`; `notFound` once ``revision()`` or a write has found the file removed or replaced.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try checkIsThere()
        let reader = try await readers.take()
        defer { readers.release(reader) }
        return try reader.read(body)
    }

    /// Runs `body` as the only writer, on the storage's writing thread.
    ///
    /// - Throws: the error of `body`; `busy` when another process holds the file for longer than the busy timeout;
    ///   `storageFull`, `permissionDenied`; `notFound` when the file was removed or replaced.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try lookForFile()
        return try await writer.quickly { try $0.write(body) }
    }

    /// - Throws: `notFound` when the file was removed or replaced; reads and writes throw the same error afterwards.
    package func revision() async throws -> UInt64 {
        let opened = try lookForFile()
        return try watch.withLock { try $0.revision(opened.options) }
    }

    /// Describes the engine, the database with its log, and the settings of the writing and the reading connections.
    package func describe() async throws -> StorageDescription {
        let options = try openDatabase().options
        var settings = try await writer.settings(options)
        let reader = try await readers.take()
        defer { readers.release(reader) }
        settings += try ["mmap_size", "cache_size"].map { .init("\($0) of reads", try reader.setting($0)) }
        let file = DatabaseFile(path: options.path)
        return StorageDescription(
            engine: "SQLite " + Connection.engineVersion, path: file.path, files: try file.files(),
            settings: settings)
    }

    /// Runs SQLite's integrity check and checks that all tables and indexes exist, on a separate thread. Reads and
    /// writes continue meanwhile.
    package func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        let options = try openDatabase().options
        return try await maintenance.run { _ in
            try options.reading { try FileCheck(connection: $0.connectForMaintenance()).faults(progress) }
        }
    }

    /// Rewrites the database without its free pages, and empties the log. Writes wait meanwhile.
    package func compact(progress: WorkProgress.Handler) async throws { try await writer.compact(progress) }

    /// Copies the database on its own thread and connection. Reads and writes continue meanwhile.
    ///
    /// - Throws: `conflict` when something exists at the path; `storageFull`.
    package func backup(to path: String, progress: WorkProgress.Handler) async throws {
        let copy = DatabaseCopy(source: try openDatabase().options, path: path)
        try await maintenance.run { _ in try copy.run(progress) }
    }

    /// Waits for reads, writes and maintenance, moves the log into the database and closes the file. A second call does
    /// nothing.
    package func close() async throws {
        await maintenance.finish()
        await readers.close()
        watch.withLock { $0 = Watch() }
        goneMark.store(false, ordering: .relaxed)
        try await writer.close()
    }

    /// - Throws: `notFound` when the file was removed or replaced.
    @discardableResult
    private func lookForFile() throws -> OpenedDatabase {
        let opened = try openDatabase()
        if opened.isRemoved { goneMark.store(true, ordering: .relaxed) }
        try checkIsThere()
        return opened
    }

    private func checkIsThere() throws {
        if goneMark.load(ordering: .relaxed) { throw StoragePlace.removed(path) }
    }

    /// - Throws: `unsupported` while the storage is closed.
    private func openDatabase() throws -> OpenedDatabase {
        guard let opened = watch.withLock({ $0.opened }) else { throw PatchbayError.storageNotOpen(path) }
        return opened
    }

    /// State that is created when it is first needed.
    private struct Watch {
        /// Nil while the storage is closed.
        var opened: OpenedDatabase?
        /// The connection used only by ``revision()``. It never writes, so SQLite notifies it of every commit,
        /// including those of this process.
        var reader: Reader?
        /// The number of connections opened so far, because data versions of different connections are not comparable.
        var readerCount: UInt64 = 0

        mutating func revision(_ options: ConnectionOptions) throws -> UInt64 {
            if try reader?.isCurrent() != true {
                reader = nil
                reader = try Reader([], options)
                readerCount += 1
            }
            return readerCount << 48 | (try reader?.dataVersion() ?? 0)
        }
    }
}
