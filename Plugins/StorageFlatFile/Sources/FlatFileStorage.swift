public import PatchbayCore

/// Keeps each collection in a JSON Lines file that `jq`, `grep` and `git diff` read.
///
/// Lines are only appended, each with a checksum; a transaction counts once its mark is written. Sorted
/// index files beside the data make reads quick without holding rows or keys in memory; they can be deleted
/// at any time.
///
/// One storage at a time has a folder open. Reads run on the caller's thread against a snapshot and go on
/// during a write. Files are made with the mode 0644 and folders with 0755, less the umask.
public final class FlatFileStorage: Storage {
    /// How a storage is kept.
    struct Options: Sendable {
        var durability = Durability.full
        var compactAtPercent = 60
        /// A file that is not longer is not rewritten.
        var compactBytesMin = 1 << 20
        /// When the index entries in memory move to files; four transactions may always wait, so that a bulk load
        /// writes few files. Opening after a crash reads the rows of these entries again.
        var deltaCountMax = 1 << 13
        /// With more index files of one index than this, a write waits for a merge of some.
        var runsMax = 32
        /// Index files up to this size are checked whole when they are opened, larger ones page by page when read.
        var wholeCheckBytesMax = 4 << 20
    }

    let writer: Writer
    let layout: FolderLayout
    let options: Options
    let disk: Disk
    /// What holds now; tests hold on to it.
    let shared: SharedState

    /// A storage in a folder; the disk is not touched before `open(_:)`.
    ///
    /// - Parameters:
    ///   - path: the folder. It is created when it is missing, but the folder above it must be there.
    ///   - durability: what a committed write survives.
    ///   - compactAtPercent: a data file is rewritten when this part of it is replaced or deleted rows, 10 to 95.
    public convenience init(path: String, durability: Durability = .full, compactAtPercent: Int = 60) {
        self.init(path, Options(durability: durability, compactAtPercent: compactAtPercent), Disk())
    }

    /// - Parameter disk: where a test lets operations fail.
    init(_ path: String, _ options: Options, _ disk: Disk) {
        shared = SharedState()
        layout = FolderLayout(path: path)
        self.options = options
        self.disk = disk
        writer = Writer(layout, options, disk, shared)
    }

    static var notOpen: PatchbayError {
        PatchbayError(.internalError, "the storage is not open; open it before reading or writing")
    }

    public var features: StorageFeatures { [.durable, .readsDuringWrite, .backup] }

    public func open(_ opening: StorageOpening) async throws -> Schema {
        guard let schema = opening.schema else { throw PatchbayError(.unsupported, "no schema") }
        try await writer.open(schema, opening.progress)
        return schema
    }

    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let snapshot = try shared.snapshot()
        do {
            return try body(ReadTransaction(snapshot, shared.pool))
        } catch {
            if snapshot.isIndexDamaged { writer.forgetCheckpoint() }
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
    public func revision() async throws -> UInt64 { try shared.snapshot().transaction }

    /// Checks every line and every index page, and that they agree. Reads and writes go on meanwhile.
    public func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        let verification = Verification(snapshot: try shared.snapshot(), layout: layout, disk: disk)
        return try await WorkThread("verification").run { try verification.run(progress) }
    }

    /// Rewrites the files that hold replaced or deleted rows. Reads and writes go on; a write waits while the last
    /// lines are copied.
    public func compact(progress: WorkProgress.Handler) async throws { try await writer.compact(progress) }

    /// Copies the folder as of now; the copy opens with its indexes. Reads and writes go on meanwhile.
    public func backup(to path: String, progress: WorkProgress.Handler) async throws {
        let backup = Backup(
            snapshot: try shared.snapshot(), source: layout, target: FolderLayout(path: path), disk: disk)
        try await WorkThread("backup").run { try backup.run(progress) }
    }

    /// Waits until no file is being rewritten, for tests.
    func rewritingEnds() async { await writer.rewritingEnds() }

    /// Waits until no index files are being merged, for tests.
    func mergingEnds() async { await writer.mergingEnds() }

    public func close() async throws { try await writer.close() }
}
