import PatchbayCore

/// A new data file with a collection's current rows, in the order of the primary key, and its indexes. Readers and the
/// writer continue to use the old file until the new one takes its name.
final class Rewriting: @unchecked Sendable {
    // Sendable: only one thread at a time uses it, either the one that copies or, while that one is idle, the writer's.

    /// The greatest number of bytes to copy at the end, while the writer waits.
    private static let restBytesMax = 1 << 18

    private let table: WorkingTable
    private let scratch = Scratch()
    /// The state of the old file up to which rows are copied.
    private var old: TableState
    private let isSynced: Bool

    /// - Parameter transaction: the last transaction in `old`.
    init(_ old: TableState, _ transaction: UInt64, in folder: Folder, isSynced: Bool) throws {
        self.old = old
        self.isSynced = isSynced
        let log = try Log.create(old.collection.name, in: folder, base: transaction)
        table = WorkingTable(TableState(old.layout, log, old.indexes[0].file), Scratch())
    }

    var state: TableState { table.state }

    /// Copies the rows of the initial state.
    ///
    /// - Throws: `corrupted` when one is damaged; the old file is unchanged.
    func copyRows(_ progress: WorkProgress.Handler) throws {
        let task = "rewriting \(old.collection.name)"
        var done = 0
        try old.scan(Query(old.collection), nil, scratch) { row in
            if done % 4096 == 0 {
                try Task.checkCancellation()
                progress(WorkProgress(task, done: done, of: old.rowCount))
            }
            done += 1
            try table.put(row)
            return .next
        }
        let base = table.state.log.base
        table.appendMark(CommitMark(transaction: base, previous: 0, synced: base))
        try finish()
        progress(WorkProgress(task, done: done, of: old.rowCount))
    }

    /// Whether the copy is so close to a later state of the old file that the writer can wait for the rest.
    func isNear(_ later: TableState) -> Bool { later.length - old.length <= Rewriting.restBytesMax }

    /// Repeats the changes that were committed to the old file since.
    func catchUp(with later: TableState) throws {
        let scan = LogScan(old.log, from: old.length, to: later.length)
        while let kind = try scan.next() {
            try Task.checkCancellation()
            switch kind {
            case .damaged: throw scan.damaged
            case .cleared: try table.deleteAll()
            case .commit(var mark):
                mark.previous = table.state.lastCommit
                table.appendMark(mark)
            case .row:
                if try scan.parseRow(old.layout, scratch) == .row {
                    try scratch.visitRow { try table.put($0) }
                } else {
                    _ = try table.delete(scratch.rowKey(table.state.collection))
                }
            }
        }
        old = later
        try finish()
    }

    /// Moves the lines in memory to the file, and the changed pages to the index file.
    private func finish() throws {
        try table.writeOut()
        if isSynced { try table.state.log.file.sync() }
        try table.flush()
    }
}
