import PatchbayCore

extension Writer {
    /// See ``IndexState/due(after:by:)``; for runs that will be read more often than written.
    static let finalFactor = 8

    /// Moves index entries from memory to files, and starts work that is due.
    ///
    /// The data is complete without it, so its failure does not fail the write. It is tried again later.
    func tidy(flushing isFlushDue: Bool) {
        do {
            let snapshot = try shared.snapshot()
            guard snapshot.transaction >= nextTidying else { return }
            if isFlushDue { try flushAndCheckpoint(snapshot) }
            startWork()
        } catch { postponeTidying() }
    }

    /// Starts the next merge, or the rewrite of a file that is mostly waste, when none is under way.
    private func startWork() {
        // A storage that is not open has no work.
        guard mayWork, let snapshot = try? shared.snapshot() else { return }
        let merge = firstDue(snapshot), position = firstWasteful(snapshot)
        guard merge != nil || position != nil else { return }
        let stop = work.begin()
        Task {
            do {
                if let merge { try await run(merge, stop) }
                if let position, merge == nil { try await rewrite(position, stop) { _ in } }
                work.end()
                startWork()
            } catch {
                // A storage that has been closed has no damage to record.
                if (try? shared.snapshot())?.isIndexDamaged == true { forgetCheckpoint() }
                postponeTidying()
                work.end()
            }
        }
    }

    /// Waits until no merge and no rewrite is under way.
    func workEnds() async {
        while work.isUnderWay { await withCheckedContinuation { work.resumeAtEnd($0) } }
    }

    /// Puts off the next attempt by 1,000 transactions. Until then the only cost is that an open reads more of the
    /// data.
    func postponeTidying() { nextTidying = ((try? shared.snapshot().transaction) ?? 0) + 1000 }

    private func flushAndCheckpoint(_ snapshot: Snapshot) throws {
        try syncAll(snapshot)
        let snapshot = try flushed(snapshot, mergingBy: 0)
        shared.publish(snapshot)
        try checkpoint(snapshot)
    }

    /// The same snapshot with all index entries in files.
    func flushed(_ snapshot: Snapshot, mergingBy factor: Int) throws -> Snapshot {
        var tables = snapshot.tables
        for position in tables.indices { try tables[position].flush(openPlace().runs, mergingBy: factor) }
        return Snapshot(snapshot.transaction, tables)
    }

    /// Removes the checkpoint, so that the next open rebuilds the indexes.
    func forgetCheckpoint() {
        // When it cannot be removed, the next open finds and reports the same damage.
        try? openPlace().files.remove(FileName.checkpoint)
    }

    /// Writes the checkpoint of the index files. The data must be on the disk, and no entries in memory.
    func checkpoint(_ snapshot: Snapshot, and rewritten: TableState? = nil) throws {
        if snapshot.isIndexDamaged { return forgetCheckpoint() }
        var checkpoint = Checkpoint(transaction: snapshot.transaction, isSynced: isSynced)
        for table in snapshot.tables + (rewritten.map { [$0] } ?? []) {
            checkpoint.tables.append(try Checkpoint.Table(table))
        }
        try checkpoint.write(in: openPlace().files, isSynced: isSynced)
        try openPlace().runs.removeAll(but: checkpoint.runNumbers)
    }

    /// Makes the name of a rewritten file durable. Until then nothing may be written to the file, because after a power
    /// cut the old file may have the name again.
    func syncNames() throws {
        guard isNameUnsynced else { return }
        if isSynced { try openPlace().folder.sync() }
        isNameUnsynced = false
    }
}
