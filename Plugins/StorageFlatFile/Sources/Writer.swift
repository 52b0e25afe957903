import PatchbayCore

/// Opens the folder, commits transactions and keeps the files small. When the storage is open for reading, it
/// follows the commits of other processes.
actor Writer: BlockingActor {
    let executor = BlockingExecutor(label: "patchbay.flatfile.writer")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let path: FolderPath
    let options: FlatFileStorage.Options
    let shared: SharedState
    /// Nil unless the storage is open for writing.
    private var lock: FolderLock?
    private var identity: StorageIdentity?
    /// The request that opened the storage for reading; nil when it is not open for reading.
    private var reading: StorageOpening?
    /// The last transaction known to be on the disk.
    private var synced: UInt64 = 0
    /// The reason why nothing can be written any more.
    private(set) var failure: PatchbayError?
    /// Whether a rewritten file was renamed and the folder was not synced since.
    var isNameUnsynced = false
    /// The transaction before which failed tidying is not tried again.
    var nextTidying: UInt64 = 0
    /// The pages in use at the last checkpoint; nil before the first one.
    var usedPageCount: Int?
    /// A rewrite of a data file, or a copy of the index file; nil when none is under way.
    var work: Task<Void, any Error>?
    private(set) var isClosing = false

    init(_ path: FolderPath, _ options: FlatFileStorage.Options, _ shared: SharedState) {
        self.path = path
        self.options = options
        self.shared = shared
    }

    /// Whether a rewrite may begin, once no other one is under way.
    var mayWork: Bool { !isClosing && failure == nil && lock != nil }

    func open(_ opening: StorageOpening) async throws -> Schema {
        guard lock == nil, reading == nil else { throw PatchbayError.storageIsOpen(path.text) }
        switch opening.access {
        case .reading:
            return try openForReading(opening, writesThrow: StoragePlace.openForReading(path.text))
        case .writing, .creating:
            do {
                return try await openForWriting(opening)
            } catch {
                return try StorageOpening.read(after: error) {
                    try openForReading(opening, writesThrow: $0)
                }
            }
        }
    }

    /// Opens the folder if there is nothing to wait for, to create, to migrate or to index.
    func openUpToDate(_ opening: StorageOpening) throws -> Schema {
        guard lock == nil, reading == nil else { throw TakesLong() }
        guard opening.access != .reading else {
            return try openForReading(
                opening, writesThrow: StoragePlace.openForReading(path.text), isShort: true)
        }
        let folder = try path.open()
        guard try folder.kind(FileName.schema) != nil, let lock = try FolderLock(folder) else {
            throw TakesLong()
        }
        return try openForWriting(opening, folder, lock, isShort: true)
    }

    private func openForReading(
        _ opening: StorageOpening, writesThrow reason: PatchbayError, isShort: Bool = false
    ) throws -> Schema {
        let snapshot = try Opening(path, options, opening.progress, isShort: isShort)
            .openForReading(opening.schema)
        (reading, failure) = (opening, reason)
        shared.publish(snapshot)
        return snapshot.schema(opening.schema)
    }

    /// Returns the snapshot after the commits of other processes.
    func refresh() throws -> Snapshot {
        let snapshot = try shared.snapshot()
        // Another caller may have refreshed it already.
        guard let reading, try !snapshot.isCurrent() else { return snapshot }
        let next = try Opening(path, options, reading.progress).follow(snapshot, reading.schema)
        shared.publish(next)
        return next
    }

    private func openForWriting(_ opening: StorageOpening) async throws -> Schema {
        let (folder, lock) = try await lockedFolder(opening)
        return try openForWriting(opening, folder, lock, isShort: false)
    }

    private func openForWriting(
        _ opening: StorageOpening, _ folder: Folder, _ lock: FolderLock, isShort: Bool
    ) throws -> Schema {
        let (snapshot, isCheckpointDue) = try Opening(
            path, options, opening.progress, isShort: isShort
        ).openForWriting(opening, folder)
        self.lock = lock
        identity = folder.identity.map { StorageIdentity($0, options.durability) }
        shared.publish(snapshot)
        if options.isSynced { synced = snapshot.transaction }
        if isCheckpointDue { tidy(flushing: true) }
        return snapshot.schema(opening.schema)
    }

    /// Takes the folder's lock, waiting while another process has it.
    private func lockedFolder(_ opening: StorageOpening) async throws -> (Folder, FolderLock) {
        let mayCreate = opening.access == .creating && opening.schema != nil
        var waited = Duration.zero, pause = Duration.milliseconds(1)
        while true {
            let folder = try mayCreate ? path.openOrMake() : path.open()
            guard try folder.holdsStorage() || mayCreate else {
                throw StoragePlace.notFound(path.text)
            }
            if let lock = try FolderLock(folder) { return (folder, lock) }
            guard waited < options.busyTimeout else { throw FolderLock.busy(folder, after: waited) }
            pause = min(pause * 2, .milliseconds(50), options.busyTimeout - waited)
            try await options.sleep(pause)
            waited += pause
        }
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) throws -> Result {
        let snapshot = try shared.snapshot()
        if let failure { throw failure }
        try shared.requireFolder(of: snapshot)
        let transaction = WriteTransaction(snapshot, shared.pool, identity)
        let changed: [WorkingTable]
        let result: Result
        do {
            result = try body(transaction)
            changed = transaction.tables.compactMap { $0 }.filter(\.isChanged)
            try commit(changed, after: snapshot)
        } catch {
            takeBack(transaction.tables.compactMap { $0 }.filter(\.hasTouchedFile))
            throw error
        }
        if changed.isEmpty { return result }
        let tables = zip(transaction.tables, snapshot.tables).map { $0?.state ?? $1 }
        shared.publish(snapshot.with(tables, upTo: snapshot.transaction + 1))
        let newChanges = zip(tables, snapshot.tables).map { $0.changeCount - $1.changeCount }.max() ?? 0
        let changesMax = max(options.changesMax, min(4 * newChanges, 1 << 16))
        tidy(flushing: tables.contains { $0.changeCount > changesMax })
        return result
    }

    private func commit(_ changed: [WorkingTable], after snapshot: Snapshot) throws {
        if changed.isEmpty { return }
        let transaction = snapshot.transaction + 1
        for table in changed { if let failure = table.failure { throw failure } }
        let names = changed.map(\.state.collection.name)
        for table in changed {
            let others = names.filter { $0 != table.state.collection.name }
            let previous = table.state.lastCommit
            table.appendMark(
                CommitMark(transaction: transaction, previous: previous, synced: synced, others: others))
        }
        try syncNames(in: snapshot.folder)
        for table in changed { try table.writeOut() }
        guard options.durability == .full else { return }
        for table in changed { try table.state.log.file.sync() }
        synced = transaction
    }

    /// Truncates the files to their lengths before a failed transaction.
    private func takeBack(_ tables: [WorkingTable]) {
        do {
            for table in tables {
                try table.state.log.file.truncate(to: table.committedLength)
                if options.isSynced { try table.state.log.file.sync() }
            }
        } catch {
            stop("a failed write to \"\(path.text)\" could not be undone", error)
        }
    }

    /// Refuses all later writes.
    private func stop(_ reason: String, _ cause: any Error) {
        failure = PatchbayError(
            .internalError,
            "\(reason), so nothing more is written; check the disk, close the storage and open it again",
            cause: cause)
    }

    func close() async throws {
        guard lock != nil else {
            (reading, failure) = (nil, nil)
            return shared.publish(nil)
        }
        isClosing = true
        work?.cancel()
        await workEnds()
        // Another caller may have closed the storage meanwhile.
        guard lock != nil else { return }
        defer { (lock, isClosing) = (nil, false) }
        let snapshot = try? shared.snapshot()
        shared.publish(nil)
        // Nothing has to reach a disk from which the folder was removed.
        guard let snapshot, failure == nil else { return }
        try syncAll(snapshot)
        // The data is on the disk. Without a checkpoint the next open only reads more of it.
        try? checkpoint(flushed(snapshot))
    }

    /// Waits until every transaction is on the disk.
    func syncAll(_ snapshot: Snapshot) throws {
        guard options.isSynced, synced < snapshot.transaction else { return }
        do {
            for table in snapshot.tables { try table.log.file.sync() }
        } catch {
            // After a failed sync a later one may succeed although the bytes are not on the disk.
            stop("\"\(path.text)\" could not be synced", error)
            throw error
        }
        synced = snapshot.transaction
    }
}
