import PatchbayCore

/// A collection that is being changed: by a transaction, or while indexes are made from the data.
///
/// Each change is complete or, when it throws, has changed nothing.
final class WorkingTable {
    /// When lines move from memory to the file before the commit.
    private static let unwrittenBytesMax = 1 << 18
    /// When index entries move from memory to a run before the commit.
    private static let deltaCountMax = 1 << 16

    private(set) var state: TableState
    /// Where the transaction started: the file ends here when it is taken back.
    let committedLength: Int
    let unwritten: Unwritten
    /// Whether the file may be longer than it was.
    private(set) var hasTouchedFile = false
    private let folder: RunFolder
    private let scratch: Scratch
    private var writer: LineWriter
    private var newEntries = EntryList()
    private var oldEntries = EntryList()
    /// Where the new entries stand in the deltas, as far as that was looked up.
    private var spots: [Spot?]
    /// No file of the primary key has a greater one; nil until that is asked for.
    private var lastKeyInRuns: [UInt8]?

    init(_ state: TableState, _ folder: RunFolder, _ scratch: Scratch) {
        self.state = state
        self.folder = folder
        self.scratch = scratch
        committedLength = state.length
        unwritten = Unwritten(start: state.length)
        writer = LineWriter(state.layout)
        spots = Array(repeating: nil, count: state.indexes.count)
    }

    var isChanged: Bool { unwritten.end > committedLength }

    func put(_ row: borrowing Row) throws {
        try makeRoom()
        try fill(row)
        try checkUnique()
        let old = try findOld()
        let start = unwritten.bytes.count
        try writer.write(row, to: unwritten.bytes)
        enter(sealLine(from: start), replacing: old)
    }

    /// Returns false when there is no such row.
    func delete(_ key: Key) throws -> Bool {
        try makeRoom()
        var bytes: [UInt8] = []
        try state.collection.appendKey(key, in: state.collection.primaryKey, to: &bytes)
        guard let old = try bytes.withUnsafeBytes({ try state.indexes[0].find($0) }) else { return false }
        let start = unwritten.bytes.count
        try state.visitRow(at: old, unwritten, scratch) { row in
            try oldEntries.fill(row, state.collection)
            try writer.writeDeletion(of: row, to: unwritten.bytes)
        }
        _ = sealLine(from: start)
        leave(old)
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
        state.lastCommit = mark.transaction
        state.length = unwritten.end
    }

    /// Writes the lines in memory to the file.
    func writeOut() throws {
        hasTouchedFile = true
        try unwritten.bytes.withBytes { try state.log.file.write($0, at: unwritten.start) }
        unwritten.start += unwritten.bytes.count
        unwritten.bytes.count = 0
    }

    func flush(_ policy: MergePolicy) throws {
        try state.flush(folder, policy)
        lastKeyInRuns = nil
    }

    /// Moves what has become too much for the memory to the disk.
    func makeRoom() throws {
        if unwritten.bytes.count > WorkingTable.unwrittenBytesMax { try writeOut() }
        if state.deltaCount > WorkingTable.deltaCountMax { try flush(.within) }
    }

    private func sealLine(from start: Int) -> Place {
        let offset = unwritten.start + start
        Line.seal(unwritten.bytes, from: start, at: offset, generation: state.log.generation)
        return Place(offset: offset, length: unwritten.end - offset)
    }
}

// MARK: - Lines of another file

extension WorkingTable {
    /// Takes the line of a row that is known to be the only one with its key.
    func copyNewLine(_ body: UnsafeRawBufferPointer, _ row: borrowing Row) throws {
        try makeRoom()
        try fill(row)
        enter(append(body), replacing: nil)
    }

    /// Takes the line of a row that may replace another.
    func copyLine(_ body: UnsafeRawBufferPointer, _ row: borrowing Row) throws {
        try makeRoom()
        try fill(row)
        let old = try findOld()
        enter(append(body), replacing: old)
    }

    /// Takes the line of a deletion; the row holds the key only.
    func copyDeletion(_ body: UnsafeRawBufferPointer, _ row: borrowing Row) throws {
        try makeRoom()
        try remove(row)
        _ = append(body)
    }

    private func append(_ body: UnsafeRawBufferPointer) -> Place {
        let start = unwritten.bytes.count
        unwritten.bytes.append(body)
        return sealLine(from: start)
    }
}

// MARK: - Indexes

extension WorkingTable {
    /// Enters a line of the file into the indexes: a row that is new, or replaces an older one.
    func enter(_ row: borrowing Row, at place: Place) throws {
        if state.deltaCount > WorkingTable.deltaCountMax { try flush(.within) }
        try fill(row)
        enter(place, replacing: try findOld())
        pass(place)
    }

    /// Enters a deletion of the file into the indexes; the row holds the key only.
    func remove(_ row: borrowing Row) throws {
        var key: [UInt8] = []
        try state.collection.appendEntry(of: row, in: state.collection.primaryKey, to: &key)
        guard let old = try key.withUnsafeBytes({ try state.indexes[0].find($0) }) else { return }
        try state.visitRow(at: old, unwritten, scratch) { try oldEntries.fill($0, state.collection) }
        leave(old)
    }

    /// Counts a line of the file as read: what stands before its end is found in the file.
    func pass(_ place: Place) {
        state.length = place.end
        unwritten.start = place.end
    }

    func clear() {
        state.indexes = state.indexes.map { IndexState($0.sole) }
        state.rowCount = 0
        state.liveBytes = 0
    }

    /// Enters a mark of the file.
    func pass(_ mark: CommitMark, at place: Place) {
        state.lastCommit = mark.transaction
        pass(place)
    }

    /// Takes indexes that were made from the rows of the file up to an offset.
    func take(_ indexes: [IndexState], rowCount: Int, liveBytes: Int) {
        state.indexes = indexes
        state.rowCount = rowCount
        state.liveBytes = liveBytes
        lastKeyInRuns = nil
    }

    private func fill(_ row: borrowing Row) throws {
        for position in spots.indices { spots[position] = nil }
        try newEntries.fill(row, state.collection)
    }

    private func checkUnique() throws {
        for position in state.indexes.indices.dropFirst() {
            let count = newEntries.uniqueCount(position)
            if count == 0 { continue }
            let needsWalk = try newEntries.withEntry(position) { entry in
                try mayBeTaken(position, UnsafeRawBufferPointer(rebasing: entry[..<count]))
            }
            if needsWalk { try checkUnique(position, Array(newEntries[position].prefix(count))) }
        }
    }

    /// Whether a row may have the new entry's part that only one may have; false is certain.
    private func mayBeTaken(_ position: Int, _ part: UnsafeRawBufferPointer) throws -> Bool {
        let spot = state.indexes[position].delta.spot(of: part)
        if state.indexes[position].delta.holds(prefix: part, at: spot) { return true }
        spots[position] = spot
        return try state.indexes[position].runsHold(sole: part)
    }

    private func checkUnique(_ position: Int, _ part: [UInt8]) throws {
        var cursor = try state.indexes[position].walk(
            KeyRange(lower: part, upper: KeyEncoding.successor(part)))
        while try cursor.next() != nil {
            if !newEntries[position].elementsEqual(cursor.key) {
                throw PatchbayError.conflict(state.collection, state.declaredIndexes[position])
            }
        }
    }

    /// Where the row with the new entries' key stands, with its entries.
    private func findOld() throws -> Place? {
        guard let old = try newEntries.withEntry(0, { try find($0) }) else { return nil }
        try state.visitRow(at: old, unwritten, scratch) { try oldEntries.fill($0, state.collection) }
        return old
    }

    private func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
        let spot = state.indexes[0].delta.spot(of: key)
        if !spot.isEqual { spots[0] = spot }
        // Rows mostly come in the order of their keys: new ones behind all that are there.
        let isBehindRuns = lastKeyInRuns.map { $0.withUnsafeBytes { compareKeys($0, key) < 0 } } ?? false
        if isBehindRuns, !spot.isEqual { return nil }
        let old = try state.indexes[0].find(key, spot)
        // Asked for by the first new row only, because one that is there would not need it.
        if old == nil, lastKeyInRuns == nil { lastKeyInRuns = try state.indexes[0].lastKeyInRuns() ?? [] }
        return old
    }

    private func enter(_ place: Place, replacing old: Place?) {
        for index in state.indexes.indices {
            if old != nil, index > 0, oldEntries[index] != newEntries[index] {
                oldEntries.withEntry(index) { state.indexes[index].remove($0) }
            }
            newEntries.withEntry(index) { entry in
                if old == nil, let spot = spots[index] {
                    state.indexes[index].delta.insert(entry, place, at: spot)
                } else {
                    state.indexes[index].delta.set(entry, place)
                }
            }
        }
        state.rowCount += old == nil ? 1 : 0
        state.liveBytes += place.length - (old?.length ?? 0)
    }

    private func leave(_ old: Place) {
        for index in state.indexes.indices {
            oldEntries.withEntry(index) { state.indexes[index].remove($0) }
        }
        state.rowCount -= 1
        state.liveBytes -= old.length
    }
}
