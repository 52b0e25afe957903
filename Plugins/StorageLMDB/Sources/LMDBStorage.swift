import CLMDB
package import PatchbayCore
import PatchbaySystem
import Synchronization

/// Keeps collections in an LMDB environment, a folder with data.mdb and lock.mdb.
///
/// Reads run on the caller's thread, directly on rows in a memory map, and never wait for a write. Writes run one at a
/// time on their own thread. Several processes may share the folder; within one process it can be open once.
package final class LMDBStorage: Storage {
    /// The largest permitted maximum size of data.mdb, in MiB: 1 TiB.
    package static let sizeMiBMax = 1 << 20
    /// The default maximum size of data.mdb, in MiB: 128 GiB. Twice as much address space is reserved; a process has
    /// 128 TiB, so several hundred storages can be open at once.
    package static let sizeMiBUsual = 128 << 10
    /// The default time to wait for another process, in milliseconds.
    package static let busyTimeoutMillisecondsUsual = 5_000
    /// The reads that may run at once. Their bodies do not suspend, so this is far more than there are threads.
    private static let readersMax = 64

    private let path: String
    private let durability: Durability
    private let bytesMax: Int
    private let busyTimeoutMilliseconds: Int
    /// Set once the file was found removed or replaced.
    private let goneMark = Atomic(false)
    private let writer: Writer
    private let maintenance = WorkThread("lmdb.maintenance")
    /// Between reads, members keep their places among the readers but no snapshot.
    private let readers: Pool<ReadTransaction>

    /// Creates a storage; the disk is not touched before `open(_:)`.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created when it is missing, but its parent must exist.
    ///   - sizeMiBMax: the maximum size of data.mdb, in MiB. A write beyond it throws `storageFull`.
    ///   - busyTimeoutMilliseconds: how long to wait for another process that writes, opens or compacts.
    package init(
        path: String, durability: Durability = .full, sizeMiBMax: Int = LMDBStorage.sizeMiBUsual,
        busyTimeoutMilliseconds: Int = LMDBStorage.busyTimeoutMillisecondsUsual
    ) {
        precondition((1...LMDBStorage.sizeMiBMax).contains(sizeMiBMax), "a size is 1 MiB to 1 TiB")
        self.path = path
        self.durability = durability
        self.bytesMax = sizeMiBMax << 20
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        writer = Writer(path: path)
        readers = Pool(membersMax: LMDBStorage.readersMax, whenClosed: .storageNotOpen(path)) { reader in
            try reader.transaction.renew()
            return true
        }
    }

    deinit {
        // No read or write is running, because each keeps a reference to the storage.
        end(readers.removeIdle())
        writer.closeNow()
    }

    /// Durable, shared between processes of one machine, readable during a write, and able to copy itself.
    package var features: StorageFeatures { [.durable, .sharedBetweenProcesses, .readsDuringWrite, .backup] }

    /// Opens the environment as far as the access allows; creates or migrates it if necessary.
    ///
    /// - Throws: `busy` when this storage is already open, and the errors of `Storage.open`.
    @discardableResult
    package func open(_ opening: StorageOpening) async throws -> Schema {
        let request = Opening(
            path: path, durability: durability, bytesMax: bytesMax,
            busyTimeoutMilliseconds: busyTimeoutMilliseconds, opening: opening)
        let early = writer.early { try $0.open(request.short) }
        let schema = if let early { early } else { try await writer.open(request) }
        goneMark.store(false, ordering: .relaxed)
        readers.open { [writer] in try writer.connection().beginReading() }
        return schema
    }

    /// Runs `body` on the caller's thread, on rows in the memory map; never waits for a write, only for a free reader
    /// or a compaction.
    ///
    /// - Throws: the error of `body`; `notFound` once ``revision()`` or a write has found the file removed or replaced.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try checkIsThere()
        let reader = try await readers.take()
        defer { release(reader) }
        return try reader.transaction.guarding { try body(reader) }
    }

    /// Runs `body` as the only writer. Waits while the storage is compacted.
    ///
    /// - Throws: the error of `body`; `storageFull` beyond the maximum size; `busy` when another process holds the
    ///   write lock for longer than the busy timeout; `notFound` when the file was removed or replaced.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try checkIsThere()
        return try await writer.quickly { writer in
            if try writer.connection().environment.isRemoved { goneMark.store(true, ordering: .relaxed) }
            try checkIsThere()
            return try writer.write(body)
        }
    }

    /// - Throws: `notFound` when data.mdb was removed or replaced. Reads and writes then throw it, too.
    package func revision() async throws -> UInt64 {
        // The number that a read sees, not the header's: a commit writes and syncs its header before it lets readers
        // see it, so the header may be ahead of the next read.
        let reader = try await readers.take()
        defer { release(reader) }
        if reader.transaction.environment.isRemoved { goneMark.store(true, ordering: .relaxed) }
        try checkIsThere()
        return reader.transaction.snapshot.number
    }

    /// Waits for a compaction, then for reads and writes in progress, and closes the environment. A second call does
    /// nothing.
    package func close() async throws {
        end(await readers.close())
        await writer.close()
    }

    // MARK: Maintenance

    /// Describes the engine, files and settings in one snapshot, on the thread for long work.
    package func describe() async throws -> StorageDescription {
        try await maintain { [durability] in try StorageDescription($0.transaction, durability) }
    }

    /// Checks every page and entry of a snapshot, and that every index has as many entries as there are rows. Reads and
    /// writes continue meanwhile.
    package func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        try await maintain { try FileCheck.faults(in: $0.transaction, progress) }
    }

    /// Closes the environment meanwhile, so reads and writes of this process wait, and no other process may have it
    /// open.
    package func compact(progress: WorkProgress.Handler) async throws {
        end(await readers.pause())
        defer { readers.resume() }
        try await writer.compact(progress)
    }

    /// Copies a snapshot to a new folder without its free pages. Reads and writes continue meanwhile.
    ///
    /// - Throws: `conflict` when something exists at the path; `corrupted` when a page is damaged; `storageFull`.
    package func backup(to path: String, progress: WorkProgress.Handler) async throws {
        try await maintain { try Backup(to: path).write($0.transaction.snapshot, progress) }
    }

    /// Runs long work on one snapshot, on its own thread.
    private func maintain<Result: Sendable>(
        _ body: @Sendable (ReadTransaction) throws -> Result
    ) async throws -> Result {
        let reader = try await readers.take()
        defer { release(reader) }
        return try await maintenance.run { _ in try reader.transaction.guarding { try body(reader) } }
    }

    private func checkIsThere() throws {
        if goneMark.load(ordering: .relaxed) { throw StoragePlace.removed(path) }
    }

    // MARK: Readers

    private func release(_ reader: ReadTransaction) {
        reader.transaction.reset()
        readers.release(reader)
    }

    private func end(_ readers: [ReadTransaction]) { for reader in readers { reader.transaction.abort() } }
}

extension StorageDescription {
    /// Describes an open storage.
    init(_ transaction: Transaction, _ durability: Durability) throws {
        var major: Int32 = 0, minor: Int32 = 0, patch: Int32 = 0
        _ = unsafe mdb_version(&major, &minor, &patch)
        let path = FileSystem.trimmed(transaction.environment.path)
        let files = try EnvironmentFiles.names(in: path).compactMap { name in
            let file = path + "/" + name
            return try FileStatus(path: file).map { File(path: file, bytes: $0.bytesOnDisk) }
        }
        let environment = transaction.environment, snapshot = transaction.snapshot
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(environment.handle, &info)
        let settings: [Setting] = [
            .init("durability", durability.rawValue),
            .init("map_size", unsafe "\(info.me_mapsize)"),
            .init("page_size", "\(snapshot.pageBytes)"),
            .init("pages", "\(snapshot.header.lastPage + 1)"),
            .init("free_pages", "\(try PageCheck(snapshot).checkFreeList())"),
            .init("last_transaction", "\(snapshot.number)"),
            .init("reader_places", unsafe "\(info.me_numreaders) of \(info.me_maxreaders)"),
        ]
        self.init(
            engine: "LMDB \(major).\(minor).\(patch)", path: path, files: files, settings: settings)
    }
}
