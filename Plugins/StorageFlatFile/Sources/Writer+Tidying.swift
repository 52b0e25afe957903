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

    /// Starts the rewrites of files that are mostly waste, when no work is under way.
    private func startWork() {
        // A storage that is not open has no work.
        guard work == nil, mayWork, let snapshot = try? shared.snapshot(),
            firstWasteful(snapshot) != nil || isIndexWasteful
        else { return }
        work = Task {
            defer { work = nil }
            do {
                while try await reduceWaste() {}
            } catch { postponeTidying() }
        }
    }

    /// Rewrites a file that is mostly waste; false when there is none, or nothing may be rewritten any more.
    private func reduceWaste() async throws -> Bool {
        guard mayWork else { return false }
        if let position = try firstWasteful(shared.snapshot()) {
            try await rewrite(position) { _ in }
        } else if isIndexWasteful {
            try await copyIndexes()
        } else {
            return false
        }
        return true
    }

    /// Whether most pages of the index file are unused.
    private var isIndexWasteful: Bool {
        // A storage that is not open has no waste.
        guard let usedPageCount, let pages = (try? shared.snapshot())?.pages else { return false }
        return pages.pageCount > 2 * usedPageCount + options.unusedPagesMin
    }

    /// Copies the pages in use to a new index file, most of them on another thread while commits continue.
    private func copyIndexes() async throws {
        let snapshot = try shared.snapshot()
        guard let files = snapshot.pages?.folder else { return }
        let writer = try PageWriter(IndexFile(in: files), copying: true)
        do {
            try await WorkThread("flatfile.indexing").run { _ in
                for table in snapshot.tables { _ = try table.written(by: writer) }
            }
            let snapshot = try shared.snapshot()
            try syncAll(snapshot)
            shared.publish(try snapshot.with(snapshot.tables.map { try $0.written(by: writer) }))
        } catch {
            // Its space may be needed. If this fails, the next checkpoint removes the file.
            try? files.remove(FileName.pages(writer.file.number))
            throw error
        }
        try checkpoint(shared.snapshot())
    }

    /// Waits until no rewrite is under way.
    func workEnds() async {
        while let work { _ = await work.result }
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
        guard let pages = snapshot.pages else { return snapshot }
        let writer = PageWriter(pages)
        return try snapshot.with(snapshot.tables.map { try $0.written(by: writer) })
    }

    /// Writes a checkpoint. The data must be on the disk, and no changed pages in memory.
    func checkpoint(_ snapshot: Snapshot, and rewritten: TableState? = nil) throws {
        guard let pages = snapshot.pages, !pages.isDamaged else { return }
        let tables = snapshot.tables + (rewritten.map { [$0] } ?? [])
        try Checkpoint.write(tables, upTo: snapshot.transaction, pages, isSynced: options.isSynced)
        usedPageCount = snapshot.tables.flatMap(\.indexes).reduce(0) { $0 + $1.pageCount }
        // A later file is a copy that is not complete.
        try pages.folder.removePages { $0 < pages.number }
    }

    /// Makes the name of a rewritten file durable. Until then nothing may be written to the file, because after a power
    /// cut the old file may have the name again.
    func syncNames(in folder: Folder) throws {
        guard isNameUnsynced else { return }
        if options.isSynced { try folder.sync() }
        isNameUnsynced = false
    }
}
