import PatchbayCore

/// Merging of index files. It runs on another thread while commits continue; the writer itself only replaces the old
/// files with the new one. The checkpoint lists the old ones until the next one is written, so a process that ends
/// before that loses only the merge.
extension Writer {
    /// Starts a merge when one is due and none is under way.
    func startMerging() {
        guard mayMerge, let merge = firstDue() else { return }
        let stop = merging.begin()
        Task {
            do {
                try await run(merge, stop)
                merging.end()
                startMerging()
            } catch {
                // A storage that has been closed has no damage to record.
                if (try? shared.snapshot())?.isIndexDamaged == true { forgetCheckpoint() }
                postponeTidying()
                merging.end()
            }
        }
    }

    /// Waits until no merge is under way.
    func mergingEnds() async {
        while merging.isUnderWay { await withCheckedContinuation { merging.resumeAtEnd($0) } }
    }

    /// Waits while a merge is under way and an index has more runs than a search should read.
    func runsGetFewer() async {
        // A storage that has been closed has no runs.
        while merging.isUnderWay, ((try? shared.snapshot())?.runCount ?? 0) > options.runsMax {
            await withCheckedContinuation { merging.resumeAtEnd($0) }
        }
    }

    /// Runs of one index that are to become one.
    private struct Merge {
        /// The position of the table, and of the index in it.
        var table: Int
        var index: Int
        /// The newest first.
        var runs: [Run]
        /// Whether older runs may contain keys that these mark as deleted.
        var keepsDeleted: Bool
        var sole: SolePart
    }

    private func firstDue() -> Merge? {
        // A storage that is not open has no runs to merge.
        guard let tables = (try? shared.snapshot())?.tables else { return nil }
        for (table, state) in tables.enumerated() {
            for (index, held) in state.indexes.enumerated() {
                guard let newest = held.runs.first else { continue }
                let count = 1 + MergePolicy.beside.due(held.runs.dropFirst(), newer: newest.entryCount)
                guard count > 1 else { continue }
                return Merge(
                    table: table, index: index, runs: Array(held.runs.prefix(count)),
                    keepsDeleted: count < held.runs.count, sole: held.sole)
            }
        }
        return nil
    }

    private func run(_ merge: Merge, _ stop: StopFlag) async throws {
        let folder = try openPlace().runs, hold = folder.hold()
        defer { folder.release(hold) }
        let (runs, keepsDeleted, sole) = (merge.runs, merge.keepsDeleted, merge.sole)
        let merged = try await WorkThread("merging").run {
            try folder.write(Delta(), runs[...], keepDeleted: keepsDeleted, sole, stop)
        }
        let snapshot = try shared.snapshot()
        var tables = snapshot.tables
        // The old runs are gone when the collection was emptied or its file rewritten; the next checkpoint then removes
        // the new one.
        guard tables[merge.table].indexes[merge.index].replace(runs, with: merged) else { return }
        shared.publish(Snapshot(snapshot.transaction, tables))
    }
}
