import PatchbayCore

/// Merging of index files. It runs on another thread while commits continue; the writer itself only replaces the old
/// files with the new one. The checkpoint lists the old ones until the next one is written, so a process that ends
/// before that loses only the merge.
extension Writer {
    /// Runs of one index that are to become one.
    struct Merge {
        /// The position of the table, and of the index in it.
        var table: Int
        var index: Int
        /// The newest first.
        var runs: [Run]
        /// Whether older runs may contain keys that these mark as deleted.
        var keepsDeleted: Bool
        var sole: SolePart
    }

    func firstDue(_ snapshot: Snapshot) -> Merge? {
        for (table, state) in snapshot.tables.enumerated() {
            for (index, held) in state.indexes.enumerated() where !held.runs.isEmpty {
                let alone = IndexState(held.sole, held.runs), count = 1 + alone.due(after: 1, by: 1)
                guard count > 1 else { continue }
                return Merge(
                    table: table, index: index, runs: Array(held.runs.prefix(count)),
                    keepsDeleted: count < held.runs.count, sole: held.sole)
            }
        }
        return nil
    }

    func run(_ merge: Merge, _ stop: StopFlag) async throws {
        let folder = try openPlace().runs
        folder.hold()
        defer { folder.release() }
        let (runs, keepsDeleted, sole) = (merge.runs, merge.keepsDeleted, merge.sole)
        let merged = try await WorkThread("flatfile.merging").run { _ in
            try folder.write(Delta(), runs[...], keepDeleted: keepsDeleted, sole, stop)
        }
        let snapshot = try shared.snapshot()
        var tables = snapshot.tables
        // The old runs are gone when the collection was emptied; the next checkpoint then removes the new one.
        guard tables[merge.table].indexes[merge.index].replace(runs, with: merged) else { return }
        shared.publish(Snapshot(snapshot.transaction, tables))
    }
}
