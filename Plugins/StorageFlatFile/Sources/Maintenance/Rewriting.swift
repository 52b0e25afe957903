// Unsafe: lines by address in scratch memory, all of whose bytes were read.

import PatchbayCore

/// A new data file with a collection's current rows, in the order of the primary key, and its indexes. Readers and the
/// writer continue to use the old file until the new one takes its name.
final class Rewriting: @unchecked Sendable {
    // Sendable: only one thread at a time uses it, either the one that copies or, while that one is idle, the writer's.

    /// The greatest number of bytes to copy at the end, while the writer waits.
    private static let restBytesMax = 1 << 18

    private let table: WorkingTable
    private let scratch = Scratch()
    private let stop: StopFlag
    /// The state of the old file up to which rows are copied.
    private var old: TableState

    /// - Parameter transaction: the last transaction in `old`.
    init(
        _ old: TableState, _ transaction: UInt64, in folder: Folder, _ runs: RunFolder, _ stop: StopFlag
    ) throws {
        self.old = old
        self.stop = stop
        let log = try Log.create(old.collection.name, in: folder, base: transaction)
        table = WorkingTable(TableState(old.layout, log), runs, Scratch())
    }

    var state: TableState { table.state }

    /// Copies the rows of the initial state.
    ///
    /// - Throws: `corrupted` when one is damaged; the old file is unchanged.
    func copyRows(_ progress: WorkProgress.Handler) throws {
        let task = "rewriting \(old.collection.name)"
        var done = 0
        try unsafe old.eachLine(Query(old.collection), nil, scratch) { line, place in
            if done % 4096 == 0 {
                try Task.checkCancellation()
                progress(WorkProgress(task, done: done, of: old.rowCount))
            }
            done += 1
            try stop.check()
            try unsafe old.parse(line, place, .all, scratch)
            let body = unsafe UnsafeRawBufferPointer(start: line, count: place.length - Line.trailerBytes)
            try scratch.visitRow { try unsafe table.copyLine(body, $0) }
            return .next
        }
        let base = table.state.log.base
        table.appendMark(CommitMark(transaction: base, previous: 0, synced: base))
        progress(WorkProgress(task, done: done, of: old.rowCount))
    }

    /// Whether the copy is so close to a later state of the old file that the writer can wait for the rest.
    func isNear(_ later: TableState) -> Bool { later.length - old.length <= Rewriting.restBytesMax }

    /// Copies the lines that were committed to the old file since.
    func catchUp(with later: TableState) throws {
        let scan = LogScan(old.log, from: old.length, to: later.length)
        while let kind = try scan.next() {
            try stop.check()
            try copy(kind, scan)
        }
        old = later
    }

    private func copy(_ kind: LogScan.Kind, _ scan: LogScan) throws {
        switch kind {
        case .damaged: throw scan.log.damaged(at: scan.place.offset)
        case .cleared: try table.deleteAll()
        case .commit(var mark):
            mark.previous = table.state.lastCommit
            table.appendMark(mark)
        case .row:
            let place = scan.place
            let outcome = unsafe LineParser.parse(
                scan.line, place.length, old.layout, .all, into: scratch.row)
            let body = unsafe UnsafeRawBufferPointer(
                start: scan.line, count: place.length - Line.trailerBytes)
            switch outcome {
            case .malformed: throw scan.log.damaged(at: place.offset)
            case .row: try scratch.visitRow { try unsafe table.copyLine(body, $0) }
            case .deletion: try scratch.visitRow { try unsafe table.copyDeletion(body, $0) }
            }
        }
    }

    /// Moves the lines in memory to the file.
    func writeOut(isSynced: Bool) throws {
        try table.writeOut()
        if isSynced { try table.state.log.file.sync() }
    }

    /// Moves the lines in memory to the file, and the entries to index files.
    func finish(isSynced: Bool, mergingBy factor: Int) throws {
        try writeOut(isSynced: isSynced)
        try table.flush(mergingBy: factor)
    }
}
