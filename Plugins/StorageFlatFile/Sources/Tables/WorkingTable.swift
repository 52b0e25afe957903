import PatchbayCore
import Synchronization

/// A collection that is being changed by a transaction, or while indexes are built from the data.
///
/// A change that throws has changed nothing, unless an index is damaged; then nothing can be committed.
final class WorkingTable {
    /// Above this many bytes, lines move from memory to the file before the commit.
    private static let unwrittenBytesMax = 1 << 18

    private var indexes: WorkingIndexes
    /// The length before the transaction, to which a rollback truncates the file.
    let committedLength: Int
    let unwritten: Unwritten
    /// Whether the file may be longer than before the transaction.
    private(set) var hasTouchedFile = false
    /// The error that left the indexes half changed, so that nothing may be committed.
    private(set) var failure: (any Error)?
    /// Whether a row of the file had the unique values of another row, which a later line may have changed since.
    private(set) var hadConflict = false
    private let writer: LineWriter
    private let generation: UInt64

    init(_ state: TableState, _ scratch: Scratch) {
        indexes = WorkingIndexes(state, scratch)
        committedLength = state.length
        unwritten = Unwritten(start: state.length)
        writer = LineWriter(state.layout)
        generation = state.log.generation
    }

    var state: TableState { indexes.state }

    var isChanged: Bool { unwritten.end > committedLength }

    /// Reads a row and remembers it, because most rows are put right after they are read.
    func get(
        _ key: Key, _ fields: FieldSet, _ pool: ScratchPool, _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        var scratch = pool.take()
        defer { pool.release(scratch) }
        let end = unwritten.end
        guard let place = try state.get(key, fields, unwritten, scratch, visit) else { return false }
        // The visitor may have changed this row.
        if fields == .all, unwritten.end == end { scratch = indexes.keep(scratch, place) }
        return true
    }

    func put(_ row: borrowing RowView) throws {
        try makeRoom()
        let old = try indexes.findOld(replacedBy: row, unwritten)
        if let position = try indexes.conflict(hasOld: old != nil) {
            throw PatchbayError.conflict(state.collection, state.declaredIndexes[position])
        }
        let start = unwritten.bytes.count
        try writer.write(row, to: unwritten.bytes)
        try replace(old, with: sealLine(from: start))
    }

    /// Deletes the row with an encoded primary key; returns false when there is none.
    func delete(_ key: [UInt8]) throws -> Bool {
        try makeRoom()
        guard let old = try indexes.findOld(key, unwritten) else { return false }
        let start = unwritten.bytes.count
        try indexes.visitOld { try writer.writeDeletion(of: $0, to: unwritten.bytes) }
        _ = sealLine(from: start)
        try replace(old, with: nil)
        return true
    }

    private func replace(_ old: Place?, with new: Place?) throws {
        do { try indexes.replace(old, with: new) } catch {
            failure = error
            throw error
        }
    }

    func deleteAll() throws {
        guard state.rowCount > 0 else { return }
        try makeRoom()
        let start = unwritten.bytes.count
        unwritten.bytes.append(Log.cleared)
        _ = sealLine(from: start)
        indexes.removeAll()
    }

    /// Ends the transaction's lines with their mark.
    func appendMark(_ mark: CommitMark) {
        let start = unwritten.bytes.count
        mark.write(to: unwritten.bytes)
        _ = sealLine(from: start)
        indexes.state.lastCommit = mark.transaction
        indexes.state.length = unwritten.end
    }

    /// Writes the lines in memory to the file.
    func writeOut() throws {
        hasTouchedFile = true
        try unwritten.bytes.withBytes { try state.log.file.write($0, at: unwritten.start) }
        unwritten.start += unwritten.bytes.count
        unwritten.bytes.count = 0
    }

    func flush() throws { try indexes.flush() }

    /// Moves the lines in memory to the file when they are too many.
    private func makeRoom() throws {
        if unwritten.bytes.count > WorkingTable.unwrittenBytesMax { try writeOut() }
    }

    private func sealLine(from start: Int) -> Place {
        let offset = unwritten.start + start
        Line.seal(unwritten.bytes, from: start, at: offset, generation: generation)
        return Place(offset: offset, length: unwritten.end - offset)
    }

    /// Enters a line of the file itself into the indexes.
    ///
    /// - Parameter scratch: memory that only this call uses.
    /// - Throws: `corrupted` when the line or an index is damaged.
    func enter(_ kind: LogScan.Kind, _ scan: LogScan, _ scratch: Scratch) throws {
        switch kind {
        case .damaged: throw scan.damaged
        case .commit(let mark): indexes.state.lastCommit = mark.transaction
        case .cleared: indexes.removeAll()
        case .row:
            if try scan.parseRow(state.layout, scratch) == .row {
                try scratch.visitRow { row in
                    let old = try indexes.findOld(replacedBy: row, unwritten)
                    if !hadConflict, try indexes.conflict(hasOld: old != nil) != nil { hadConflict = true }
                    try indexes.replace(old, with: scan.place)
                }
            } else if let old = try indexes.findOld(scratch.rowKey(state.collection), unwritten) {
                try indexes.replace(old, with: nil)
            }
        }
        indexes.state.length = scan.place.end
        unwritten.start = scan.place.end
    }
}

/// Lines of an open transaction that are not in the file yet.
final class Unwritten {
    /// The offset of the first byte in the file.
    var start: Int
    let bytes = ByteBuffer()

    init(start: Int) { self.start = start }

    var end: Int { start + bytes.count }
}

/// The memory of one `get` or `scan`, reused by later ones. One thread uses it at a time.
final class Scratch: @unchecked Sendable {
    // Sendable: the read that takes it from the pool is its only user.
    let lines = ByteBuffer(capacity: 1 << 15)
    let row = ByteBuffer()
    var key: [UInt8] = []
    var places: [Place] = []

    /// Calls `visit` with the row that was parsed last.
    func visitRow(_ visit: (borrowing RowView) throws -> Void) rethrows {
        // The memory does not change during the visit, because nested reads take other scratch memory. This is not
        // generic, because the optimizer of Swift 6.3.1 crashes when it specializes a closure over a row.
        let bytes = unsafe UnsafeRawBufferPointer(start: row.base, count: row.count)
        try unsafe visit(RowView(unchecked: bytes.bytes))
    }

    /// The encoded primary key of the row that was parsed last.
    func rowKey(_ collection: CollectionSchema) throws -> [UInt8] {
        var key: [UInt8] = []
        try visitRow { _ = try collection.appendEntry(of: $0, in: collection.primaryKey, to: &key) }
        return key
    }

    fileprivate var isSmall: Bool { lines.capacity + row.capacity < 1 << 20 }
}

/// Scratch memory that is not in use. There are several, because a visitor may start another read.
final class ScratchPool: Sendable {
    private static let countMax = 16
    private let idle = Mutex<[Scratch]>([])

    func take() -> Scratch { idle.withLock { $0.popLast() } ?? Scratch() }

    func release(_ scratch: Scratch) {
        guard scratch.isSmall else { return }
        idle.withLock { if $0.count < ScratchPool.countMax { $0.append(scratch) } }
    }
}
