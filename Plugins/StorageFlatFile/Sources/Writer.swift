import PatchbayCore

/// The one that changes the folder: opens it, commits transactions, keeps the index files short.
actor Writer {
    private let executor = BlockingExecutor(label: "patchbay.flatfile.writer", borrowing: .shared)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let layout: FolderLayout
    let options: FlatFileStorage.Options
    let disk: Disk
    let shared: SharedState
    private(set) var folder: RunFolder?
    private var lock: FolderLock?
    /// The last transaction known to be on the disk.
    private var synced: UInt64 = 0
    /// Why nothing can be written any more.
    private(set) var failure: PatchbayError?
    /// Whether a rewritten file took its name and the folder was not synced since.
    var isNameUnsynced = false
    /// Tidying up that failed is not tried again before this transaction.
    var nextTidying: UInt64 = 0
    var rewriting = BackgroundWork()
    var merging = BackgroundWork()
    private(set) var isClosing = false

    init(_ layout: FolderLayout, _ options: FlatFileStorage.Options, _ disk: Disk, _ shared: SharedState) {
        self.layout = layout
        self.options = options
        self.disk = disk
        self.shared = shared
    }

    var isSynced: Bool { options.durability != .off }

    /// Whether a rewrite may begin.
    var mayRewrite: Bool { !rewriting.isUnderWay && isUsable }

    /// Whether a merge may begin.
    var mayMerge: Bool { !merging.isUnderWay && isUsable }

    private var isUsable: Bool { !isClosing && failure == nil && folder != nil }

    func open(_ schema: Schema, _ progress: @escaping WorkProgress.Handler) throws {
        precondition(lock == nil, "a storage is opened once")
        let opening = Opening(
            layout: layout, disk: disk, isSynced: isSynced, wholeCheckBytesMax: options.wholeCheckBytesMax,
            progress: progress)
        let outcome = try opening.run(schema)
        (lock, folder) = (outcome.lock, outcome.folder)
        shared.publish(outcome.snapshot)
        if isSynced { synced = outcome.snapshot.transaction }
        if outcome.isCheckpointDue { tidy(flushing: true) }
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) throws -> Result {
        let (snapshot, folder) = (try shared.snapshot(), try openFolder())
        if let failure { throw failure }
        let transaction = WriteTransaction(snapshot, folder, shared.pool)
        let changed: [WorkingTable]
        let result: Result
        do {
            result = try body(transaction)
            changed = transaction.tables.compactMap { $0 }.filter(\.isChanged)
            try commit(changed, snapshot.transaction + 1)
        } catch {
            if snapshot.isIndexDamaged { forgetCheckpoint() }
            takeBack(transaction.tables.compactMap { $0 }.filter(\.hasTouchedFile))
            throw error
        }
        if changed.isEmpty { return result }
        let tables = zip(transaction.tables, snapshot.tables).map { $0?.state ?? $1 }
        shared.publish(Snapshot(snapshot.transaction + 1, tables))
        let newEntries = zip(tables, snapshot.tables).map { $0.deltaCount - $1.deltaCount }.max() ?? 0
        let entriesMax = max(options.deltaCountMax, 4 * newEntries)
        tidy(flushing: tables.contains { $0.deltaCount > entriesMax })
        return result
    }

    func openFolder() throws -> RunFolder {
        guard let folder else { throw FlatFileStorage.notOpen }
        return folder
    }

    private func commit(_ changed: [WorkingTable], _ transaction: UInt64) throws {
        if changed.isEmpty { return }
        let names = changed.map(\.state.collection.name)
        for table in changed {
            let others = names.filter { $0 != table.state.collection.name }
            let previous = table.state.lastCommit
            table.appendMark(
                CommitMark(transaction: transaction, previous: previous, synced: synced, others: others))
        }
        try syncNames()
        for table in changed { try table.writeOut() }
        guard options.durability == .full else { return }
        for table in changed { try table.state.log.file.sync() }
        synced = transaction
    }

    /// Cuts off what a transaction wrote that is not to count.
    private func takeBack(_ tables: [WorkingTable]) {
        do {
            for table in tables {
                try table.state.log.file.truncate(to: table.committedLength)
                if isSynced { try table.state.log.file.sync() }
            }
        } catch {
            failure = PatchbayError(
                .internalError,
                "a write to \"\(layout.path)\" could not be taken back, so nothing more is written; "
                    + "check the disk, close the storage and open it again", cause: error)
        }
    }

    func close() async throws {
        guard lock != nil else { return }
        isClosing = true
        rewriting.cancel()
        merging.cancel()
        await rewritingEnds()
        await mergingEnds()
        // Another caller may have closed it meanwhile.
        guard lock != nil else { return }
        defer { (lock, folder) = (nil, nil) }
        let snapshot = try shared.snapshot()
        shared.publish(nil)
        if failure != nil { return }
        try syncAll(snapshot)
        // The data is on the disk; without a checkpoint the next opening reads more of it, nothing else.
        try? checkpoint(flushed(snapshot, .closing))
    }

    /// Waits until every transaction is on the disk.
    func syncAll(_ snapshot: Snapshot) throws {
        guard isSynced, synced < snapshot.transaction else { return }
        do {
            for table in snapshot.tables { try table.log.file.sync() }
        } catch {
            // After a failed sync a later one may succeed without the bytes being there.
            failure = PatchbayError(
                .internalError,
                "\"\(layout.path)\" could not be synced, so nothing more is written; "
                    + "check the disk, close the storage and open it again", cause: error)
            throw error
        }
        synced = snapshot.transaction
    }
}
