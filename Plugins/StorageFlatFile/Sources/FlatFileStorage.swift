public import PatchbayCore

/// Keeps each collection in a JSON Lines file that `jq`, `grep` and `git diff` read.
///
/// Lines are only appended, each with a checksum; a transaction counts once its mark is written. Sorted
/// index files beside the data make reads quick without holding rows or keys in memory; they can be deleted
/// at any time.
///
/// One storage at a time has a folder open for writing; others wait for it. Any number may have it open for reading
/// meanwhile, in any process, and see its commits. Reads run on the caller's thread against a snapshot and go on
/// during a write. Files are made with the mode 0600 and folders with 0700, less the umask.
public final class FlatFileStorage: Storage {
    /// How a storage is kept.
    struct Options: Sendable {
        var durability = Durability.full
        var compactAtPercent = 60
        /// How long to wait for another writer.
        var busyTimeout = Duration.seconds(5)
        /// Waits between two looks whether the other writer is done.
        var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
        /// A file that is not longer is not rewritten.
        var compactBytesMin = 1 << 20
        /// When the index entries in memory move to files; four transactions may always wait, so that a bulk load
        /// writes few files. Opening after a crash reads the rows of these entries again.
        var deltaCountMax = 1 << 13
        /// With more index files of one index than this, a write waits for a merge of some.
        var runsMax = 32
        /// Index files up to this size are read and checked when they are opened, larger ones are mapped, and checked
        /// page by page when read.
        var wholeCheckBytesMax = Run.readBytesMax
    }

    let writer: Writer
    let options: Options
    private let disk: Disk
    /// What holds now; tests hold on to it.
    let shared: SharedState

    /// A storage in a folder; the disk is not touched before `open(_:)`.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created when it is missing, but the folder above it must be there.
    ///   - durability: what a committed write survives.
    ///   - compactAtPercent: a data file is rewritten when this part of it is replaced or deleted rows, 10 to 95.
    ///   - busyTimeoutMilliseconds: how long opening for writing waits for another writer.
    public convenience init(
        path: String, durability: Durability = .full, compactAtPercent: Int = 60,
        busyTimeoutMilliseconds: Int = 5_000
    ) {
        let options = Options(
            durability: durability, compactAtPercent: compactAtPercent,
            busyTimeout: .milliseconds(busyTimeoutMilliseconds))
        self.init(path, options, Disk())
    }

    /// - Parameter disk: where a test lets operations fail.
    init(_ path: String, _ options: Options, _ disk: Disk) {
        let path = FolderPath(path, disk)
        shared = SharedState(path.text)
        self.options = options
        self.disk = disk
        writer = Writer(path, options, shared)
    }

    /// While the storage is open for reading, these include `sharedBetweenProcesses`, because another process may
    /// commit. Two storages cannot be open for writing at the same time.
    public var features: StorageFeatures {
        let isShared = (try? shared.view())?.stamps != nil
        let features: StorageFeatures = [.durable, .readsDuringWrite, .backup]
        return isShared ? features.union(.sharedBetweenProcesses) : features
    }

    @discardableResult
    public func open(_ opening: StorageOpening) async throws -> Schema { try await writer.open(opening) }

    /// What holds now, with the commits of other processes.
    func view() async throws -> View {
        let view = try shared.view()
        return try view.isCurrent() ? view : await writer.refresh()
    }

    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let snapshot = try await view().snapshot
        do {
            return try body(ReadTransaction(snapshot, shared.pool))
        } catch {
            if snapshot.isIndexDamaged { await writer.forgetCheckpoint() }
            throw error
        }
    }

    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        if try shared.snapshot().runCount > options.runsMax { await writer.runsGetFewer() }
        return try await writer.write(body)
    }

    /// The number of the last transaction that changed something.
    public func revision() async throws -> UInt64 { try await view().snapshot.transaction }

    /// Checks every line and every index page, and that they agree. Reads and writes go on meanwhile.
    public func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        let view = try await view()
        let verification = Verification(snapshot: view.snapshot, folder: view.folder)
        return try await WorkThread("verification").run { try verification.run(progress) }
    }

    /// Rewrites the files that hold replaced or deleted rows. Reads and writes go on; a write waits while the last
    /// lines are copied.
    public func compact(progress: WorkProgress.Handler) async throws { try await writer.compact(progress) }

    /// Copies the folder as of now; the copy opens with its indexes. Reads and writes go on meanwhile.
    public func backup(to path: String, progress: WorkProgress.Handler) async throws {
        let view = try await view()
        let backup = Backup(
            snapshot: view.snapshot, schemaVersion: view.schemaVersion, target: FolderPath(path, disk))
        try await WorkThread("backup").run { try backup.run(progress) }
    }

    /// Waits until no file is being rewritten, for tests.
    func rewritingEnds() async { await writer.rewritingEnds() }

    /// Waits until no index files are being merged, for tests.
    func mergingEnds() async { await writer.mergingEnds() }

    public func close() async throws { try await writer.close() }
}
