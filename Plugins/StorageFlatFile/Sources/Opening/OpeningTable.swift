import PatchbayCore

/// A collection while its storage is being opened.
struct OpeningTable {
    private(set) var state: TableState
    /// Whether all lines must be read, because no usable index files are known.
    private(set) var isUnknown = true
    /// The length up to which the file is known to be on the disk.
    private var syncedLength = 0
    /// The length of the file when all files were open. Its lines up to there are read.
    let byteCount: Int

    /// Starts from the checkpoint's entry for the file, or without one from the start of the file.
    ///
    /// - Parameter pages: the file with the pages of the indexes, if any.
    init(
        _ collection: CollectionSchema, _ log: Log, _ checkpoint: Checkpoint?, _ pages: IndexFile?
    ) throws {
        state = TableState(LineLayout(collection), log, pages)
        // A reader has opened all files by now, so that this one has the transactions before the start of any of them.
        byteCount = try log.file.unwrittenByteCount()
        guard let checkpoint, let known = try checkpoint.state(state, of: byteCount) else { return }
        state = known
        isUnknown = false
        syncedLength = checkpoint.isSynced ? known.length : 0
    }

    /// Continues from a state that was read before.
    init(_ state: TableState) throws {
        self.state = state
        byteCount = try state.log.file.byteCount()
        isUnknown = false
    }

    /// Cuts off the lines that are not committed, and syncs the others, even if an earlier opener did not.
    func cut(isSynced: Bool) throws {
        let end = state.length, hasTail = byteCount > end
        if hasTail { try state.log.file.truncate(to: end) }
        // Otherwise the tail could come back after a power cut and corrupt the lines written since.
        if isSynced, hasTail || end > syncedLength { try state.log.file.sync() }
    }

    /// Returns the collection after the lines up to `end` were entered into the indexes.
    ///
    /// - Throws: `conflict` when two rows violate a new unique index.
    func replayed(
        to end: Int, _ scratch: Scratch, _ progress: WorkProgress.Handler
    ) throws -> OpeningTable {
        if !isUnknown, end == state.length { return self }
        let table = WorkingTable(state, Scratch()), task = "reading \(state.collection.name).jsonl"
        let scan = LogScan(state.log, from: state.length, to: end)
        var lineCount = 0
        while let kind = try scan.next() {
            if isUnknown, lineCount % 16384 == 0 {
                progress(WorkProgress(task, done: scan.place.offset, of: end))
            }
            lineCount += 1
            try table.enter(kind, scan, scratch)
        }
        var replayed = self
        replayed.state = table.state
        guard isUnknown else { return replayed }
        progress(WorkProgress(task, done: end, of: end))
        if table.hadConflict { try replayed.checkUnique(scratch) }
        return replayed
    }

    /// Refuses a unique index that two rows violate.
    private func checkUnique(_ scratch: Scratch) throws {
        let collection = state.collection, entries = RowEntries(indexesMax: collection.indexes.count)
        for (position, index) in state.declaredIndexes.enumerated() where index.isUnique {
            var cursor = try state.indexes[position].walk(), last: [UInt8] = []
            while let place = try cursor.next() {
                try state.visitRow(at: place, nil, scratch) { try entries.fill($0, collection) }
                guard entries[position].isUnique else { continue }
                let part = unsafe entries[position].own
                if unsafe part.elementsEqual(last) { throw PatchbayError.conflict(collection, index) }
                last = unsafe Array(part)
            }
        }
    }
}
