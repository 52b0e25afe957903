import PatchbayCore

/// A collection while its storage is being opened.
struct OpeningTable {
    private(set) var state: TableState
    /// Whether all lines must be read, because no usable index files are known.
    let isUnknown: Bool
    /// The length up to which the file is known to be on the disk.
    private var syncedLength = 0

    /// Starts from the checkpoint's entry for the file, or without one from the start of the file.
    ///
    /// - Parameters:
    ///   - byteCount: the file's length.
    ///   - files: the folder of the index files.
    init(
        _ collection: CollectionSchema, _ log: Log, byteCount: Int, _ checkpoint: Checkpoint?,
        _ files: Folder?, _ wholeCheckBytesMax: Int
    ) throws {
        state = TableState(LineLayout(collection), log)
        guard let files, let checkpoint, let known = checkpoint.table(log) else {
            isUnknown = true
            return
        }
        try OpeningTable.check(log, byteCount, known)
        guard let indexes = try OpeningTable.openRuns(state, known, files, wholeCheckBytesMax) else {
            isUnknown = true
            return
        }
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

    /// Returns the indexes from their files; nil when an index is new, or a file is missing or damaged.
    private static func openRuns(
        _ state: TableState, _ known: Checkpoint.Table, _ files: Folder, _ wholeCheckBytesMax: Int
    ) throws -> [IndexState]? {
        guard let stored = CollectionSchema(definition: known.definition) else { return nil }
        let storedIndexes = [stored.primaryKey] + stored.indexes
        var indexes = state.indexes
        for (position, index) in state.declaredIndexes.enumerated() {
            guard storedIndexes.contains(index) else { return nil }
            for entry in known.runs where entry.index == index.name {
                let name = FileName.run(entry.number)
                guard try files.kind(name) == .file,
                    let run = try Run(files.open(name, .read), readingUpTo: wholeCheckBytesMax),
                    run.number == entry.number, run.byteCount == entry.byteCount,
                    run.checksum == entry.checksum
                else { return nil }
                indexes[position].runs.append(run)
            }
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
    /// - Parameter folder: where index files are made; nil to keep the entries in memory.
    /// - Throws: `conflict` when two rows violate a new unique index.
    mutating func replay(
        to end: Int, _ folder: RunFolder?, _ scratch: Scratch, _ progress: WorkProgress.Handler
    ) throws {
        let table = WorkingTable(state, folder, scratch), task = "reading \(state.collection.name).jsonl"
        let scan = LogScan(state.log, from: state.length, to: end)
        var lineCount = 0
        while let kind = try scan.next() {
            if isUnknown, lineCount % 16384 == 0 {
                progress(WorkProgress(task, done: scan.place.offset, of: end))
            }
            lineCount += 1
            try OpeningTable.enter(kind, scan, table, scratch)
        }
        state = table.state
        guard isUnknown else { return }
        progress(WorkProgress(task, done: end, of: end))
        for position in state.indexes.indices.dropFirst() { try checkUnique(position) }
    }

    private static func enter(
        _ kind: LogScan.Kind, _ scan: LogScan, _ table: WorkingTable, _ scratch: Scratch
    ) throws {
        switch kind {
        case .damaged: throw scan.log.damaged(at: scan.place.offset)
        case .commit(let mark): table.pass(mark, at: scan.place)
        case .cleared:
            table.clear()
            table.pass(scan.place)
        case .row:
            let outcome = unsafe LineParser.parse(
                scan.line, scan.place.length, table.state.layout, .all, into: scratch.row)
            guard outcome != .malformed else { throw scan.log.damaged(at: scan.place.offset) }
            // The table may use the scratch memory for an older row, so the new row is copied.
            let bytes = scratch.row.copyBytes()
            let row = unsafe RowView(unchecked: bytes.span.bytes)
            if outcome == .row { try table.enter(row, at: scan.place) } else { try table.remove(row) }
            table.pass(scan.place)
        }
    }

    /// Refuses a unique index that two rows violate.
    private func checkUnique(_ position: Int) throws {
        let index = state.declaredIndexes[position], held = state.indexes[position]
        guard index.isUnique else { return }
        var cursor = try held.walk(KeyRange()), last: [UInt8] = []
        while try cursor.next() != nil {
            let part = unsafe cursor.key.prefix(held.sole.count(in: cursor.key))
            if unsafe part.isEmpty { continue }
            if unsafe part.elementsEqual(last) { throw PatchbayError.conflict(state.collection, index) }
            last = unsafe Array(part)
        }
    }
}
