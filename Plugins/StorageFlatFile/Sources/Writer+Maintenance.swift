import PatchbayCore

/// Rewriting of data files. The rows are copied on another thread while commits continue; the writer itself only copies
/// the last lines and renames the file.
extension Writer {
    /// The number of times that new lines are copied on the other thread before the writer waits for the rest.
    private static let roundsMax = 8

    /// A file with less waste, such as its header and the marks of a few transactions, is not rewritten on demand.
    private static let wasteBytesMin = 512

    /// An index file with a smaller share of pages that are not in use is not copied on demand.
    private static let unusedPercentMin = 10

    /// Rewrites every file that contains waste, then copies the index file if it contains pages that are not in use,
    /// such as those of the old files.
    func compact(_ progress: WorkProgress.Handler) async throws {
        for position in try shared.snapshot().tables.indices {
            try await work(progress) { writer, report in
                let table = try writer.shared.snapshot().tables[position]
                if table.waste > Writer.wasteBytesMin { try await writer.rewrite(position, report) }
            }
        }
        try await work(progress) { writer, _ in
            guard let used = writer.usedPageCount, let unused = writer.unusedPageCount,
                unused * 100 > used * Writer.unusedPercentMin,
                let pages = try writer.shared.snapshot().pages
            else { return }
            try await writer.copyIndexes(in: pages.folder)
        }
    }

    /// Waits until no other rewrite is under way, then runs `body`.
    private func work(
        _ progress: WorkProgress.Handler,
        _ body: @escaping @Sendable (isolated Writer, @escaping WorkProgress.Handler) async throws -> Void
    ) async throws {
        await workEnds()
        if let failure { throw failure }
        guard mayWork else { throw shared.notOpen }
        let (steps, step) = AsyncStream.makeStream(of: WorkProgress.self)
        let work = Task {
            defer {
                self.work = nil
                step.finish()
            }
            try await body(self) { step.yield($0) }
        }
        self.work = work
        do {
            try await withTaskCancellationHandler {
                for await step in steps { progress(step) }
                try await work.value
            } onCancel: {
                work.cancel()
            }
        } catch is CancellationError where !Task.isCancelled {
            throw PatchbayError(.busy, "the storage was closed; open it and try again")
        }
    }

    func firstWasteful(_ snapshot: Snapshot) -> Int? {
        snapshot.tables.firstIndex { table in
            table.length > options.compactBytesMin
                && table.waste * 100 > table.length * options.compactAtPercent
        }
    }

    /// Rewrites a collection's file without its waste. Readers of older snapshots keep the old file.
    func rewrite(_ position: Int, _ progress: WorkProgress.Handler) async throws {
        let snapshot = try shared.snapshot(), folder = snapshot.folder
        let name = FileName.data(snapshot.tables[position].collection.name)
        do {
            let thread = WorkThread("flatfile.rewriting"), isSynced = options.isSynced
            let (table, transaction) = (snapshot.tables[position], snapshot.transaction)
            let copy = try await thread.run { _ in
                let copy = try Rewriting(table, transaction, in: folder, isSynced: isSynced)
                try copy.copyRows(progress)
                return copy
            }
            for _ in 0..<Writer.roundsMax {
                let later = try shared.snapshot().tables[position]
                if copy.isNear(later) { break }
                try await thread.run { _ in try copy.catchUp(with: later) }
            }
            try replace(position, with: copy, name)
        } catch {
            // Its space may be needed. If this fails, the next open removes the file.
            try? folder.remove(name + FileName.unfinished)
            throw error
        }
    }

    /// Gives the copy the name of the old file.
    ///
    /// The checkpoint lists both files before the renaming, so that either opens quickly.
    private func replace(_ position: Int, with copy: Rewriting, _ name: String) throws {
        if let failure { throw failure }
        try syncAll(shared.snapshot())
        let snapshot = try flushed(shared.snapshot())
        try copy.catchUp(with: snapshot.tables[position])
        try checkpoint(snapshot.with(snapshot.tables + [copy.state]))
        try snapshot.folder.rename(name + FileName.unfinished, to: name)
        var tables = snapshot.tables
        tables[position] = copy.state
        tables[position].changeCount = 0
        let rewritten = snapshot.with(tables)
        isNameUnsynced = true
        shared.publish(rewritten)
        try syncNames(in: snapshot.folder)
        try checkpoint(rewritten)
    }
}

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
