import PatchbayCore

extension Writer {
    /// Moves changed index pages from memory to the file, and starts work that is due.
    ///
    /// The data is complete without it, so its failure does not fail the write. It is tried again later.
    func tidy(flushing isFlushDue: Bool) {
        do {
            let snapshot = try shared.snapshot()
            guard snapshot.transaction >= nextTidying else { return }
            if isFlushDue {
                try syncAll(snapshot)
                let snapshot = try flushed(snapshot)
                shared.publish(snapshot)
                try checkpoint(snapshot)
            }
            startWork()
        } catch { postponeTidying() }
    }

    /// Starts the rewrites of files that are mostly waste, when no work is under way.
    private func startWork() {
        guard work == nil, dueWork != nil else { return }
        work = Task {
            defer { work = nil }
            do {
                while let next = dueWork { try await next(self) }
            } catch { postponeTidying() }
        }
    }

    /// The rewrite of a file that is mostly waste; nil when there is none, or nothing may be rewritten any more.
    private var dueWork: (@Sendable (isolated Writer) async throws -> Void)? {
        // A storage that is not open has no work.
        guard mayWork, let snapshot = try? shared.snapshot() else { return nil }
        if let position = firstWasteful(snapshot) { return { try await $0.rewrite(position) { _ in } } }
        guard let usedPageCount, let unusedPageCount, let pages = snapshot.pages,
            unusedPageCount > usedPageCount + options.unusedPagesMin
        else { return nil }
        return { try await $0.copyIndexes(in: pages.folder) }
    }

    /// The number of pages in the index file that were replaced by later ones; nil while none was written.
    var unusedPageCount: Int? {
        // A storage that is not open has no pages.
        guard let usedPageCount, let pages = try? shared.snapshot().pages else { return nil }
        return pages.pageCount - usedPageCount
    }

    /// Copies the pages in use to a new index file, most of them on another thread while commits continue.
    func copyIndexes(in files: Folder) async throws {
        let snapshot = try shared.snapshot(), writer = try PageWriter(IndexFile(in: files), copying: true)
        do {
            try await WorkThread("flatfile.indexing").run { _ in _ = try snapshot.written(by: writer) }
            let snapshot = try shared.snapshot()
            try syncAll(snapshot)
            shared.publish(try snapshot.written(by: writer))
        } catch {
            // Its space may be needed. If this fails, the next checkpoint removes the file.
            try? files.remove(FileName.pages(writer.pages.number))
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

    /// The same snapshot with all index pages in the file.
    func flushed(_ snapshot: Snapshot) throws -> Snapshot {
        try snapshot.pages.map { try snapshot.written(by: PageWriter($0)) } ?? snapshot
    }

    /// Writes a checkpoint. The data must be on the disk, and no changed pages in memory.
    func checkpoint(_ snapshot: Snapshot) throws {
        guard let pages = snapshot.pages, !pages.isDamaged else { return }
        try Checkpoint.write(snapshot, pages, isSynced: options.isSynced)
        // To count reads all branches, which nothing needs at the end.
        usedPageCount =
            isClosing ? nil : try snapshot.tables.flatMap(\.indexes).reduce(0) { try $0 + $1.pageCount() }
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
