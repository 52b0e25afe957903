import PatchbayCore

/// A collection that is being changed by a transaction, or while indexes are built from the data.
///
/// A change that throws has changed nothing.
final class WorkingTable {
    /// Above this many bytes, lines move from memory to the file before the commit.
    private static let unwrittenBytesMax = 1 << 18

    private var indexes: WorkingIndexes
    /// The length before the transaction, to which a rollback truncates the file.
    let committedLength: Int
    let unwritten: Unwritten
    /// Whether the file may be longer than before the transaction.
    private(set) var hasTouchedFile = false
    private let writer: LineWriter
    private let generation: UInt64

    init(_ state: TableState, _ folder: RunFolder?, _ scratch: Scratch) {
        indexes = WorkingIndexes(state, folder, scratch)
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
        defer { pool.giveBack(scratch) }
        let end = unwritten.end
        guard let place = try state.get(key, fields, unwritten, scratch, visit) else { return false }
        // The visitor may have changed this row.
        if fields == .all, unwritten.end == end { scratch = indexes.keep(scratch, place) }
        return true
    }

    func put(_ row: borrowing RowView) throws {
        try makeRoom()
        let old = try indexes.prepare(row, unwritten, isUnique: true)
        let start = unwritten.bytes.count
        try writer.write(row, to: unwritten.bytes)
        indexes.enter(sealLine(from: start), replacing: old)
    }

    /// Returns false when there is no such row.
    func delete(_ key: Key) throws -> Bool {
        try makeRoom()
        var bytes: [UInt8] = []
        try state.collection.appendKey(key, in: state.collection.primaryKey, to: &bytes)
        guard let old = try indexes.prepareLeaving(bytes, unwritten) else { return false }
        let start = unwritten.bytes.count
        try indexes.visitOld { try writer.writeDeletion(of: $0, to: unwritten.bytes) }
        _ = sealLine(from: start)
        indexes.leave(old)
        return true
    }

    func deleteAll() throws {
        guard state.rowCount > 0 else { return }
        try makeRoom()
        let start = unwritten.bytes.count
        unwritten.bytes.append(Log.cleared)
        _ = sealLine(from: start)
        clear()
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

    func flush(mergingBy factor: Int) throws { try indexes.flush(mergingBy: factor) }

    /// Moves the lines in memory to the file when they are too many.
    private func makeRoom() throws {
        if unwritten.bytes.count > WorkingTable.unwrittenBytesMax { try writeOut() }
    }

    private func sealLine(from start: Int) -> Place {
        let offset = unwritten.start + start
        Line.seal(unwritten.bytes, from: start, at: offset, generation: generation)
        return Place(offset: offset, length: unwritten.end - offset)
    }
}

// MARK: - Lines of another file

extension WorkingTable {
    /// Copies the line of a row that may replace another.
    func copyLine(_ body: UnsafeRawBufferPointer, _ row: borrowing RowView) throws {
        try makeRoom()
        let old = try indexes.prepare(row, unwritten)
        unsafe indexes.enter(append(body), replacing: old)
    }

    /// Copies the line of a deletion; the row contains only the key.
    func copyDeletion(_ body: UnsafeRawBufferPointer, _ row: borrowing RowView) throws {
        try makeRoom()
        try remove(row)
        _ = unsafe append(body)
    }

    private func append(_ body: UnsafeRawBufferPointer) -> Place {
        let start = unwritten.bytes.count
        unsafe unwritten.bytes.append(body)
        return sealLine(from: start)
    }
}

// MARK: - Lines of the file itself

extension WorkingTable {
    /// Enters a row of the file, which is new or replaces an older one, into the indexes.
    func enter(_ row: borrowing RowView, at place: Place) throws {
        let old = try indexes.prepare(row, unwritten)
        indexes.enter(place, replacing: old)
        pass(place)
    }

    /// Enters a deletion of the file into the indexes; the row contains only the key.
    func remove(_ row: borrowing RowView) throws {
        var key: [UInt8] = []
        try state.collection.appendEntry(of: row, in: state.collection.primaryKey, to: &key)
        guard let old = try indexes.prepareLeaving(key, unwritten) else { return }
        indexes.leave(old)
    }

    /// Marks a line of the file as read, so that everything before its end is read from the file.
    func pass(_ place: Place) {
        indexes.state.length = place.end
        unwritten.start = place.end
    }

    func clear() { indexes.removeAll() }

    /// Enters a mark of the file.
    func pass(_ mark: CommitMark, at place: Place) {
        indexes.state.lastCommit = mark.transaction
        pass(place)
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
