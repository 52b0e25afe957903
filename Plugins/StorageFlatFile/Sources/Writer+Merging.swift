import PatchbayCore

/// Merging of index files. It happens on another thread while commits go on; the writer itself only puts the new file
/// in the place of the old ones. The checkpoint names the old ones until the next one is written, so a process that
/// ends before that loses the merge and nothing else.
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
                // A storage that is not open any more has no damage to tell.
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

    /// Waits while the merges that are under way leave more runs than a search should look into.
    func runsGetFewer() async {
        // A storage that is not open any more has none.
        while merging.isUnderWay, ((try? shared.snapshot())?.runCount ?? 0) > options.runsMax {
            await withCheckedContinuation { merging.resumeAtEnd($0) }
        }
    }

    /// Runs of one index that are to become one.
    private struct Merge {
        /// Where the index stands: the table, and the index in it.
        var table: Int
        var index: Int
        /// The newest first.
        var runs: [Run]
        /// Whether older runs may hold what these say is deleted.
        var keepsDeleted: Bool
        var sole: SolePart
    }

    private func firstDue() -> Merge? {
        // A storage that is not open has none.
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
        // They are gone when the collection was emptied or its file rewritten; the next checkpoint removes the new one.
        guard tables[merge.table].indexes[merge.index].replace(runs, with: merged) else { return }
        shared.publish(Snapshot(snapshot.transaction, tables))
    }
}
