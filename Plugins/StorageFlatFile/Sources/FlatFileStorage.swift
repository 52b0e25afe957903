package import PatchbayCore
import PatchbaySystem

/// Keeps each collection in a JSON Lines file that `jq`, `grep` and `git diff` read.
///
/// Lines are only appended, each with a checksum; a transaction is committed once its commit mark is written. Sorted
/// index files next to the data make reads fast without holding rows or keys in memory; they can be deleted at any
/// time.
///
/// One storage at a time has a folder open for writing; others wait for it. Any number of storages, in any process, may
/// have it open for reading meanwhile and see its commits. Reads run on the caller's thread against a snapshot and
/// continue during a write. Files are created with mode 0600 and folders with 0700, less the umask.
package final class FlatFileStorage: Storage {
    /// The settings of a storage.
    struct Options: Sendable {
        var durability = Durability.full
        /// Whether writes must be synced before anything relies on them.
        var isSynced: Bool { durability != .off }
        var compactAtPercent = 60
        /// How long to wait for another writer.
        var busyTimeout = Duration.seconds(5)
        /// Waits between two attempts to take the lock of another writer.
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// A file up to this size is never rewritten automatically.
        var compactBytesMin = 1 << 20
        /// Changed index pages move to the file, and a checkpoint is written, above this number of changed rows; those
        /// of four transactions may wait, so that a bulk load writes less. Opening after a crash reads these rows
        /// again.
        var changesMax = 1 << 14
        /// An index file with fewer unused pages is not copied.
        var unusedPagesMin = 256
        /// An index file up to this size is read and checked when it is opened, pages of a larger one when they are
        /// needed.
        var wholeCheckBytesMax = 1 << 19
    }

    let writer: Writer
    let options: Options
    private let disk: Disk
    /// The current snapshot, shared with the writer; tests read it.
    let shared: SharedState

    /// Creates a storage in a folder; the disk is not touched before `open(_:)`.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created when it is missing, but its parent must exist.
    ///   - durability: the failures that a committed write survives.
    ///   - compactAtPercent: the percentage of replaced or deleted rows at which a data file is rewritten, 10 to 95.
    ///   - busyTimeoutMilliseconds: how long opening for writing waits for another writer.
    package convenience init(
        path: String, durability: Durability = .full, compactAtPercent: Int = 60,
        busyTimeoutMilliseconds: Int = 5_000
    ) {
        let options = Options(
            durability: durability, compactAtPercent: compactAtPercent,
            busyTimeout: .milliseconds(busyTimeoutMilliseconds))
        self.init(path, options, Disk())
    }

    /// - Parameter disk: makes operations fail in tests.
    init(_ path: String, _ options: Options, _ disk: Disk) {
        let path = FolderPath(path, disk)
        shared = SharedState(path.text)
        self.options = options
        self.disk = disk
        writer = Writer(path, options, shared)
    }

    /// While the storage is open for reading, the features include `sharedBetweenProcesses`, because another process
    /// may commit. Two storages cannot be open for writing at the same time.
    package var features: StorageFeatures {
        let isShared = (try? shared.snapshot())?.stamps != nil
        let features: StorageFeatures = [.durable, .readsDuringWrite, .backup]
        return isShared ? features.union(.sharedBetweenProcesses) : features
    }

    /// Opens the folder, or creates it if the access allows it. Recovers from a crash, migrates to the schema if
    /// necessary, and, to write, waits up to the busy timeout for another writer.
    @discardableResult
    package func open(_ opening: StorageOpening) async throws -> Schema {
        if let schema = writer.early({ try $0.openUpToDate(opening) }) { return schema }
        return try await writer.open(opening)
    }

    /// The newest snapshot, including the commits of other processes.
    func snapshot() async throws -> Snapshot {
        let snapshot = try shared.snapshot()
        return try snapshot.isCurrent() ? snapshot : await writer.refresh()
    }

    /// Runs `body` on the caller's thread against the newest snapshot, including the commits of other processes.
    ///
    /// - Throws: the error of `body`; `notFound` once ``revision()`` or a write has found the folder removed or
    ///   replaced.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try body(ReadTransaction(await snapshot(), shared.pool))
    }

    /// Runs `body` as the only writer.
    ///
    /// - Throws: the error of `body`; `storageFull`; `notFound` when the folder was removed or replaced.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await writer.quickly { try $0.write(body) }
    }

    /// The number of the last transaction that changed something.
    ///
    /// - Throws: `notFound` when the folder was removed or replaced.
    package func revision() async throws -> UInt64 {
        let snapshot = try await snapshot()
        try shared.requireFolder(of: snapshot)
        return snapshot.transaction
    }

    /// Checks every line and every index page, and that they agree. Reads and writes continue meanwhile.
    package func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        let verification = Verification(snapshot: try await snapshot())
        return try await WorkThread("flatfile.verification").run { _ in try verification.run(progress) }
    }

    /// Rewrites the files that hold replaced or deleted rows. Reads and writes continue; a write waits only while the
    /// last lines are copied.
    package func compact(progress: WorkProgress.Handler) async throws { try await writer.compact(progress) }

    /// Copies the current state of the folder, including its indexes. Reads and writes continue meanwhile.
    package func backup(to path: String, progress: WorkProgress.Handler) async throws {
        let backup = Backup(snapshot: try await snapshot(), target: FolderPath(path, disk))
        try await WorkThread("flatfile.backup").run { _ in try backup.run(progress) }
    }

    /// Waits until no file is being rewritten, for tests.
    func workEnds() async { await writer.workEnds() }

    /// Cancels a rewrite in progress, syncs the files and releases the lock on the folder. A second call does
    /// nothing.
    package func close() async throws { try await writer.close() }

    /// Describes the files on the disk, and for each collection how much of its file is rows and how much is waste.
    package func describe() async throws -> StorageDescription {
        let snapshot = try await snapshot(), folder = snapshot.folder
        var files = try Self.files(folder)
        if try folder.kind(FileName.index) == .folder {
            files += try Self.files(folder.folder(FileName.index))
        }
        return StorageDescription(
            engine: "flat files, format \(Log.format)", path: folder.path, files: files,
            settings: try settings(snapshot))
    }

    private static func files(_ folder: Folder) throws -> [StorageDescription.File] {
        try folder.names().compactMap { name in
            // A file that the writer removed meanwhile is not part of the storage any more.
            guard let status = try folder.status(name), status.kind == .file else { return nil }
            return StorageDescription.File(path: folder.path(name), bytes: status.bytesOnDisk)
        }
    }

    private func settings(_ snapshot: Snapshot) throws -> [StorageDescription.Setting] {
        var settings = [
            StorageDescription.Setting("durability", options.durability.rawValue),
            StorageDescription.Setting("compact-at-percent", String(options.compactAtPercent)),
            StorageDescription.Setting("sequence", String(snapshot.transaction)),
        ]
        for table in snapshot.tables {
            let pages = try zip(table.declaredIndexes, table.indexes).map {
                "\($0.name) \(try $1.pageCount())"
            }
            let values = [
                ("live_lines", String(table.rowCount)), ("live_bytes", String(table.liveBytes)),
                ("dead_bytes", String(table.waste)), ("index_pages", pages.joined(separator: ", ")),
                ("changes_in_memory", String(table.changeCount)),
            ]
            settings += values.map { .init("\(table.collection.name).\($0)", $1) }
        }
        return settings
    }
}
