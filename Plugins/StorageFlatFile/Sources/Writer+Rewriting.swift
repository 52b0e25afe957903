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
