import PatchbayCore
import Synchronization

/// The one that changes the folder: opens it, commits transactions, keeps the index files short.
actor Writer {
    private let executor = BlockingExecutor(label: "patchbay.flatfile.writer", borrowing: .shared)
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let layout: FolderLayout
    let options: FlatFileStorage.Options
    let disk: Disk
    private let shared: SharedState
    private(set) var folder: RunFolder?
    private var lock: FolderLock?
    /// The last transaction known to be on the disk.
    private var synced: UInt64 = 0
    /// Why nothing can be written any more.
    private var failure: PatchbayError?
    /// Whether a rewritten file took its name and the folder was not synced since.
    private var isNameUnsynced = false
    /// Tidying up that failed is not tried again before this transaction.
    private var nextTidying: UInt64 = 0

    init(_ layout: FolderLayout, _ options: FlatFileStorage.Options, _ disk: Disk, _ shared: SharedState) {
        self.layout = layout
        self.options = options
        self.disk = disk
        self.shared = shared
    }

    var isSynced: Bool { options.durability != .off }

    func open(_ schema: Schema) throws {
        precondition(lock == nil, "a storage is opened once")
        let opening = Opening(
            layout: layout, disk: disk, isSynced: isSynced, wholeCheckBytesMax: options.wholeCheckBytesMax)
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

    private func openFolder() throws -> RunFolder {
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

    func close() throws {
        guard lock != nil else { return }
        defer { (lock, folder) = (nil, nil) }
        let snapshot = try shared.snapshot()
        shared.publish(nil)
        if failure != nil { return }
        try syncAll(snapshot)
        // The data is on the disk; without a checkpoint the next opening reads more of it, nothing else.
        try? checkpoint(flushed(snapshot, factor: 8))
    }

    /// Waits until every transaction is on the disk.
    private func syncAll(_ snapshot: Snapshot) throws {
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

// MARK: - Tidying up

extension Writer {
    /// Moves index entries from memory to files, and rewrites files that are mostly waste.
    ///
    /// The data is complete without it, so a failure is no failure of the write; it is tried again later.
    private func tidy(flushing isFlushDue: Bool) {
        do {
            let snapshot = try shared.snapshot()
            guard snapshot.transaction >= nextTidying else { return }
            if isFlushDue { try flushAndCheckpoint(snapshot, factor: 1) }
            for position in snapshot.tables.indices where isWasteful(snapshot.tables[position]) {
                try compact(position)
            }
        } catch {
            // The next opening reads more of the data, nothing else.
            nextTidying = ((try? shared.snapshot().transaction) ?? 0) + 1000
        }
    }

    private func flushAndCheckpoint(_ snapshot: Snapshot, factor: Int) throws {
        try syncAll(snapshot)
        let snapshot = try flushed(snapshot, factor: factor)
        shared.publish(snapshot)
        try checkpoint(snapshot)
    }

    /// The same snapshot with all index entries in files.
    private func flushed(_ snapshot: Snapshot, factor: Int) throws -> Snapshot {
        var tables = snapshot.tables
        for position in tables.indices { try tables[position].flush(openFolder(), factor: factor) }
        return Snapshot(snapshot.transaction, tables)
    }

    private func isWasteful(_ table: TableState) -> Bool {
        let waste = table.length - table.liveBytes
        return table.length > options.compactBytesMin && waste * 100 > table.length * options.compactAtPercent
    }

    /// Lets the next opening make the indexes anew.
    nonisolated func forgetCheckpoint() {
        // When it cannot be removed, the next opening finds the same damage and says so again.
        try? disk.remove(layout.checkpoint)
    }

    /// Writes down what the index files hold. The data must be on the disk, and nothing wait in memory.
    private func checkpoint(_ snapshot: Snapshot, and rewritten: TableState? = nil) throws {
        if snapshot.isIndexDamaged { return forgetCheckpoint() }
        var checkpoint = Checkpoint(transaction: snapshot.transaction)
        for table in snapshot.tables + (rewritten.map { [$0] } ?? []) {
            checkpoint.tables.append(try Checkpoint.Table(table))
        }
        try checkpoint.write(layout, isSynced: isSynced, disk)
        try openFolder().removeAll(but: checkpoint.runNumbers)
    }

    /// Rewrites a collection's file without its waste. Readers of older snapshots keep the old file.
    ///
    /// The checkpoint knows both files before the new one takes the name, so that either is opened quickly.
    private func compact(_ position: Int) throws {
        try syncAll(shared.snapshot())
        let snapshot = try flushed(shared.snapshot(), factor: 1)
        let path = layout.data(snapshot.tables[position].collection.name)
        let compaction = Compaction(snapshot.tables[position], snapshot.transaction, disk)
        let rewritten: TableState
        do {
            rewritten = try compaction.run(path + FolderLayout.unfinished, openFolder(), isSynced: isSynced)
            try checkpoint(snapshot, and: rewritten)
            try disk.rename(path + FolderLayout.unfinished, to: path)
        } catch {
            // It takes space that may be short; opening removes it as well.
            try? disk.remove(path + FolderLayout.unfinished)
            throw error
        }
        var tables = snapshot.tables
        tables[position] = rewritten
        isNameUnsynced = true
        shared.publish(Snapshot(snapshot.transaction, tables))
        try syncNames()
        try checkpoint(Snapshot(snapshot.transaction, tables))
    }

    /// Makes the name of a rewritten file durable. Until then nothing may be written to it: after a power
    /// cut the old file may have the name again.
    private func syncNames() throws {
        guard isNameUnsynced else { return }
        if isSynced { try disk.syncFolder(layout.path) }
        isNameUnsynced = false
    }
}
