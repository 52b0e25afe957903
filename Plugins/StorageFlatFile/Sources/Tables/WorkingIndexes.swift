import PatchbayCore

/// The indexes of a collection that is being changed, with the state that they belong to.
///
/// A value, so that one access to it covers all that a row needs.
struct WorkingIndexes {
    /// When entries move from memory to a run before the commit.
    private static let deltaCountMax = 1 << 16

    var state: TableState
    private let folder: RunFolder
    /// Holds the older row that a change replaces, or the row that was read last.
    private var scratch: Scratch
    /// Where the row in the scratch memory stands when the transaction has just read it: most rows that are read are
    /// put next.
    private var justRead: Place?
    private let newEntries: EntryList
    private let oldEntries: EntryList
    /// Where the new entries stand in the deltas, as far as that was looked up.
    private var spots: [Spot?]
    /// No file of the primary key has a greater one; nil until that is asked for.
    private var lastKeyInRuns: [UInt8]?

    init(_ state: TableState, _ folder: RunFolder, _ scratch: Scratch) {
        self.state = state
        self.folder = folder
        self.scratch = scratch
        newEntries = EntryList(state.collection)
        oldEntries = EntryList(state.collection)
        spots = Array(repeating: nil, count: state.indexes.count)
    }

    mutating func flush(_ policy: MergePolicy) throws {
        try state.flush(folder, policy)
        lastKeyInRuns = nil
    }

    /// Takes indexes that were made from the rows of the file up to an offset.
    mutating func take(_ indexes: [IndexState], rowCount: Int, liveBytes: Int) {
        state.indexes = indexes
        state.rowCount = rowCount
        state.liveBytes = liveBytes
        lastKeyInRuns = nil
    }

    mutating func removeAll() {
        take(state.indexes.map { IndexState($0.sole) }, rowCount: 0, liveBytes: 0)
        justRead = nil
    }

    /// Takes the scratch memory that a row was read into whole, with its key, and gives back what it had.
    mutating func keep(_ read: Scratch, _ place: Place) -> Scratch {
        defer { (scratch, justRead) = (read, place) }
        return scratch
    }
}

// MARK: - One row

extension WorkingIndexes {
    /// Makes the entries of a row that is to be entered and finds the row that it replaces.
    ///
    /// - Parameter isUnique: whether to refuse a row that has what another row alone may have.
    /// - Returns: where the older row stands; nil when there is none.
    /// - Throws: `invalidValue` when an entry is too long, `conflict`.
    mutating func prepare(_ row: borrowing RowView, _ unwritten: Unwritten, isUnique: Bool = false) throws
        -> Place?
    {
        try prepareNew(row)
        let old = try findOld(newEntries[0], unwritten)
        if isUnique { try checkUnique(hasOld: old != nil) }
        return old
    }

    /// Makes the entries of a row that is known to replace none.
    ///
    /// - Throws: `invalidValue` when one is too long.
    mutating func prepareNew(_ row: borrowing RowView) throws {
        try makeRoom()
        for position in spots.indices { spots[position] = nil }
        try newEntries.fill(row)
    }

    private mutating func makeRoom() throws {
        if state.deltaCount > WorkingIndexes.deltaCountMax { try flush(.within) }
    }

    /// Where the row with a key stands that is to be taken out, with its entries; nil when there is none.
    mutating func prepareLeaving(_ key: [UInt8], _ unwritten: Unwritten) throws -> Place? {
        try makeRoom()
        return try key.withUnsafeBytes { try findOld($0, unwritten) }
    }

    /// Where the row with a key stands, with its entries; nil when there is none.
    private mutating func findOld(_ key: UnsafeRawBufferPointer, _ unwritten: Unwritten) throws -> Place? {
        let known = justRead
        justRead = nil
        let oldEntries = oldEntries
        if let known, scratch.key.withUnsafeBytes({ compareKeys($0, key) == 0 }) {
            try scratch.visitRow { try oldEntries.fill($0) }
            return known
        }
        guard let old = try find(key) else { return nil }
        try state.visitRow(at: old, unwritten, scratch) { try oldEntries.fill($0) }
        return old
    }

    /// Gives the row that was found last to `visit`.
    func visitOld(_ visit: (borrowing RowView) throws -> Void) rethrows { try scratch.visitRow(visit) }

    private mutating func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
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

    /// Refuses a row that has what another row alone may have.
    ///
    /// - Parameter hasOld: whether it replaces the row of the old entries, which has its part already.
    private mutating func checkUnique(hasOld: Bool) throws {
        for position in state.indexes.indices.dropFirst() {
            guard let part = newEntries.uniquePart(position) else { continue }
            if hasOld, newEntries.hasSame(position, as: oldEntries) { continue }
            let spot = state.indexes[position].delta.spot(of: part)
            if !state.indexes[position].delta.holds(prefix: part, at: spot) {
                spots[position] = spot
                if try !state.indexes[position].runsHold(sole: part) { continue }
            }
            try checkUnique(position, Array(part))
        }
    }

    /// Looks whether the entries that start with a part lead somewhere still.
    private func checkUnique(_ position: Int, _ part: [UInt8]) throws {
        var cursor = try state.indexes[position].walk(
            KeyRange(lower: part, upper: KeyEncoding.successor(part)))
        if try cursor.next() != nil {
            throw PatchbayError.conflict(state.collection, state.declaredIndexes[position])
        }
    }

    /// Lets the new entries lead to a line, in the place of the old ones when there is an older row.
    mutating func enter(_ place: Place, replacing old: Place?) {
        for index in state.indexes.indices {
            if old != nil, index > 0, !oldEntries.hasSame(index, as: newEntries) {
                state.indexes[index].remove(oldEntries[index])
            }
            if old == nil, let spot = spots[index] {
                state.indexes[index].delta.insert(newEntries[index], place, at: spot)
            } else {
                state.indexes[index].delta.set(newEntries[index], place)
            }
        }
        state.rowCount += old == nil ? 1 : 0
        state.liveBytes += place.length - (old?.length ?? 0)
    }

    /// Takes out the row of the old entries.
    mutating func leave(_ old: Place) {
        for index in state.indexes.indices { state.indexes[index].remove(oldEntries[index]) }
        state.rowCount -= 1
        state.liveBytes -= old.length
    }
}
