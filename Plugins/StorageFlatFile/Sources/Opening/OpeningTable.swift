import PatchbayCore

/// A collection while its storage is being opened.
struct OpeningTable {
    private(set) var state: TableState
    /// Whether all lines must be read, because no usable index files are known.
    private(set) var isUnknown = true
    /// The length up to which the file is known to be on the disk.
    private var syncedLength = 0

    /// Starts from the checkpoint's entry for the file, or without one from the start of the file.
    ///
    /// - Parameters:
    ///   - byteCount: the file's length.
    ///   - pages: the file with the pages of the indexes, if any.
    ///   - withLeaves: whether the leaves of the indexes are read and checked now.
    init(
        _ collection: CollectionSchema, _ log: Log, byteCount: Int, _ checkpoint: Checkpoint?,
        _ pages: IndexFile?, withLeaves: Bool
    ) throws {
        state = TableState(LineLayout(collection), log, pages)
        let known = checkpoint?.table(log), hasPages = pages?.number == checkpoint?.file
        if let known { try OpeningTable.check(log, byteCount, known) }
        guard let checkpoint, let known, let pages, hasPages,
            let indexes = try OpeningTable.load(state, known, pages, withLeaves: withLeaves)
        else { return }
        isUnknown = false
        state.indexes = indexes
        state.length = known.length
        state.rowCount = known.rowCount
        state.liveBytes = known.liveBytes
        state.lastCommit = known.lastCommit
        syncedLength = checkpoint.isSynced ? known.length : 0
    }

    /// Continues from a state that was read before.
    init(_ state: TableState) {
        self.state = state
        isUnknown = false
    }

    /// Refuses a file that does not match its checkpoint entry.
    private static func check(_ log: Log, _ byteCount: Int, _ known: Checkpoint.Table) throws {
        guard byteCount >= known.length else { throw log.damaged(at: byteCount) }
        guard try known.length == log.headerBytes || log.checksum(before: known.length) == known.checksum
        else {
            throw log.damaged(at: known.length)
        }
    }

    /// Returns the indexes of the checkpoint; nil when one is new or damaged.
    private static func load(
        _ state: TableState, _ known: Checkpoint.Table, _ pages: IndexFile, withLeaves: Bool
    ) throws -> [IndexState]? {
        guard let stored = CollectionSchema(definition: known.definition) else { return nil }
        let storedIndexes = [stored.primaryKey] + stored.indexes
        var indexes: [IndexState] = []
        for index in state.declaredIndexes {
            guard storedIndexes.contains(index) else { return nil }
            let root = known.roots.first { $0.index == index.name }
            let loaded = try root.flatMap { try pages.load($0.page, level: $0.level, withLeaves: withLeaves) }
            // Every row has an entry.
            guard (loaded == nil) == (known.rowCount == 0) else { return nil }
            indexes.append(IndexState(pages, loaded))
        }
        return indexes
    }

    /// Cuts off the lines that are not committed, and syncs the others, even if an earlier opener did not.
    func cut(at end: Int, isSynced: Bool) throws {
        let hasTail = try state.log.file.byteCount() > end
        if hasTail { try state.log.file.truncate(to: end) }
        // Otherwise the tail could come back after a power cut and corrupt the lines written since.
        if isSynced, hasTail || end > syncedLength { try state.log.file.sync() }
    }

    /// Enters the lines up to `end` into the indexes.
    ///
    /// - Throws: `conflict` when two rows violate a new unique index.
    mutating func replay(to end: Int, _ scratch: Scratch, _ progress: WorkProgress.Handler) throws {
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
        state = table.state
        guard isUnknown else { return }
        progress(WorkProgress(task, done: end, of: end))
        if table.hadConflict { try checkUnique(scratch) }
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
