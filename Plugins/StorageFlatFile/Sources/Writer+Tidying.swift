import PatchbayCore

extension Writer {
    /// Moves changed index pages from memory to the file, and starts work that is due.
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

    /// Starts the rewrite of a file that is mostly waste, when none is under way.
    private func startWork() {
        // A storage that is not open has no work.
        guard mayWork, let snapshot = try? shared.snapshot() else { return }
        let position = firstWasteful(snapshot)
        guard position != nil || isIndexWasteful else { return }
        let stop = work.begin()
        Task {
            do {
                if let position {
                    try await rewrite(position, stop) { _ in }
                } else {
                    try await copyIndexes(stop)
                }
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

    /// Whether most pages of the index file are unused.
    private var isIndexWasteful: Bool {
        guard let usedPageCount, let pages = try? openPlace().pages else { return false }
        return pages.pageCount > 2 * usedPageCount + options.unusedPagesMin
    }

    /// Copies the pages in use to a new index file, most of them on another thread while commits continue.
    private func copyIndexes(_ stop: StopFlag) async throws {
        let snapshot = try shared.snapshot(), files = try openPlace().files
        let copy = try IndexCopy(to: IndexFile(in: files), stop)
        do {
            try await WorkThread("flatfile.indexing").run { _ in
                for table in snapshot.tables { _ = try copy.copy(table) }
            }
            let snapshot = try shared.snapshot()
            try syncAll(snapshot)
            let copied = try Snapshot(snapshot.transaction, snapshot.tables.map { try copy.copy($0) })
            use(copy.target)
            shared.publish(copied)
        } catch {
            // Its space may be needed. If this fails, the next checkpoint removes the file.
            try? files.remove(FileName.pages(copy.target.number))
            throw error
        }
        try checkpoint(shared.snapshot())
    }

    /// Waits until no rewrite is under way.
    func workEnds() async {
        while work.isUnderWay { await withCheckedContinuation { work.resumeAtEnd($0) } }
    }

    /// Puts off the next attempt by 1,000 transactions. Until then the only cost is that an open reads more of the
    /// data.
    func postponeTidying() { nextTidying = ((try? shared.snapshot().transaction) ?? 0) + 1000 }

    private func flushAndCheckpoint(_ snapshot: Snapshot) throws {
        try syncAll(snapshot)
        let snapshot = try flushed(snapshot)
        shared.publish(snapshot)
        try checkpoint(snapshot)
    }

    /// The same snapshot with all index pages in the file.
    func flushed(_ snapshot: Snapshot) throws -> Snapshot {
        var tables = snapshot.tables
        for position in tables.indices {
            try tables[position].flush()
            tables[position].changeCount = 0
        }
        return Snapshot(snapshot.transaction, tables)
    }

    /// Removes the checkpoint, so that the next open rebuilds the indexes.
    func forgetCheckpoint() {
        // When it cannot be removed, the next open finds and reports the same damage.
        try? openPlace().files.remove(FileName.checkpoint)
    }

    /// Writes a checkpoint. The data must be on the disk, and no changed pages in memory.
    func checkpoint(_ snapshot: Snapshot, and rewritten: TableState? = nil) throws {
        if snapshot.isIndexDamaged { return forgetCheckpoint() }
        let place = try openPlace()
        try Checkpoint.write(snapshot, and: rewritten, place.pages, in: place.files, isSynced: isSynced)
        usedPageCount = snapshot.tables.flatMap(\.indexes).reduce(0) { $0 + $1.pageCount }
        // A later file is a copy that is not complete.
        try place.files.removePages { $0 < place.pages.number }
    }

    /// Makes the name of a rewritten file durable. Until then nothing may be written to the file, because after a power
    /// cut the old file may have the name again.
    func syncNames() throws {
        guard isNameUnsynced else { return }
        if isSynced { try openPlace().folder.sync() }
        isNameUnsynced = false
    }
}
