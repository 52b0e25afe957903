import PatchbayCore

/// The indexes of a collection that is being changed, and the state that they belong to.
///
/// This is a value type, so that one exclusive access covers all work on a row.
struct WorkingIndexes {
    /// Above this count entries move from memory to a run before the commit.
    private static let deltaCountMax = 1 << 16

    var state: TableState
    /// Nil to keep the entries in memory.
    private let folder: RunFolder?
    /// Contains the older row that a change replaces, or the row that was read last.
    private var scratch: Scratch
    /// The place of the row in the scratch memory when the transaction has just read it, because most rows are put
    /// right after they are read.
    private var justRead: Place?
    private let newEntries: EntryList
    private let oldEntries: EntryList
    /// The spots of the new entries in the deltas, as far as they were looked up.
    private var spots: [Spot?]
    /// The greatest key in the runs of the primary key; nil until it is needed.
    private var lastKeyInRuns: [UInt8]?

    init(_ state: TableState, _ folder: RunFolder?, _ scratch: Scratch) {
        self.state = state
        self.folder = folder
        self.scratch = scratch
        newEntries = EntryList(state.collection)
        oldEntries = EntryList(state.collection)
        spots = Array(repeating: nil, count: state.indexes.count)
    }

    mutating func flush(mergingBy factor: Int) throws {
        guard let folder else { return }
        try state.flush(folder, mergingBy: factor)
        lastKeyInRuns = nil
    }

    mutating func removeAll() {
        state.indexes = state.indexes.map { IndexState($0.sole) }
        (state.rowCount, state.liveBytes) = (0, 0)
        (lastKeyInRuns, justRead) = (nil, nil)
    }

    /// Adopts the scratch memory that a complete row and its key were read into, and returns its previous scratch
    /// memory.
    mutating func keep(_ read: Scratch, _ place: Place) -> Scratch {
        defer { (scratch, justRead) = (read, place) }
        return scratch
    }
}

// MARK: - One row

extension WorkingIndexes {
    /// Computes the entries of a row that is to be entered, and finds the row that it replaces.
    ///
    /// - Parameter isUnique: whether to refuse a row that has the unique values of another row.
    /// - Returns: the place of the older row; nil when there is none.
    /// - Throws: `invalidValue` when an entry is too long, `conflict` when the row is refused.
    mutating func prepare(_ row: borrowing RowView, _ unwritten: Unwritten, isUnique: Bool = false) throws
        -> Place?
    {
        try makeRoom()
        for position in spots.indices { spots[position] = nil }
        try newEntries.fill(row)
        let old = try unsafe findOld(newEntries[0], unwritten)
        if isUnique { try checkUnique(hasOld: old != nil) }
        return old
    }

    private mutating func makeRoom() throws {
        if state.deltaCount > WorkingIndexes.deltaCountMax { try flush(mergingBy: 0) }
    }

    /// Finds the row with a key that is to be removed, and computes its entries; nil when there is none.
    mutating func prepareLeaving(_ key: [UInt8], _ unwritten: Unwritten) throws -> Place? {
        try makeRoom()
        return try unsafe key.withUnsafeBytes { try unsafe findOld($0, unwritten) }
    }

    /// Finds the row with a key and computes its entries; nil when there is none.
    private mutating func findOld(_ key: UnsafeRawBufferPointer, _ unwritten: Unwritten) throws -> Place? {
        let known = justRead
        justRead = nil
        let oldEntries = oldEntries
        if let known, unsafe scratch.key.withUnsafeBytes({ unsafe compareKeys($0, key) == 0 }) {
            try scratch.visitRow { try oldEntries.fill($0) }
            return known
        }
        guard let old = try unsafe find(key) else { return nil }
        try state.visitRow(at: old, unwritten, scratch) { try oldEntries.fill($0) }
        return old
    }

    /// Calls `visit` with the row that was found last.
    func visitOld(_ visit: (borrowing RowView) throws -> Void) rethrows { try scratch.visitRow(visit) }

    private mutating func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
        let spot = unsafe state.indexes[0].delta.spot(of: key)
        if !spot.isEqual { spots[0] = spot }
        // New rows mostly have greater keys than all existing ones.
        let isBehindRuns =
            lastKeyInRuns.map { unsafe $0.withUnsafeBytes { unsafe compareKeys($0, key) < 0 } } ?? false
        if isBehindRuns, !spot.isEqual { return nil }
        let old = try unsafe state.indexes[0].find(key, spot)
        // Looked up for the first new row only, because an existing row does not need it.
        if old == nil, lastKeyInRuns == nil { lastKeyInRuns = try state.indexes[0].lastKeyInRuns() ?? [] }
        return old
    }

    /// Refuses a row that has the unique values of another row.
    ///
    /// - Parameter hasOld: whether it replaces the row of the old entries, whose values it may keep.
    private mutating func checkUnique(hasOld: Bool) throws {
        for position in state.indexes.indices.dropFirst() {
            guard let part = unsafe newEntries.uniquePart(position) else { continue }
            if hasOld, newEntries.hasSame(position, as: oldEntries) { continue }
            let spot = unsafe state.indexes[position].delta.spot(of: part)
            if unsafe !state.indexes[position].delta.holds(prefix: part, at: spot) {
                spots[position] = spot
                if try unsafe !state.indexes[position].runsHold(sole: part) { continue }
            }
            try unsafe checkUnique(position, Array(part))
        }
    }

    /// Refuses the row when an undeleted entry starts with a part.
    private func checkUnique(_ position: Int, _ part: [UInt8]) throws {
        var cursor = try state.indexes[position].walk(
            KeyRange(lower: part, upper: KeyEncoding.successor(part)))
        if try cursor.next() != nil {
            throw PatchbayError.conflict(state.collection, state.declaredIndexes[position])
        }
    }

    /// Makes the new entries lead to a line, and removes the old ones when there is an older row.
    mutating func enter(_ place: Place, replacing old: Place?) {
        for index in state.indexes.indices {
            if old != nil, index > 0, !oldEntries.hasSame(index, as: newEntries) {
                unsafe state.indexes[index].remove(oldEntries[index])
            }
            if old == nil, let spot = spots[index] {
                unsafe state.indexes[index].delta.insert(newEntries[index], place, at: spot)
            } else {
                unsafe state.indexes[index].delta.set(newEntries[index], place)
            }
        }
        state.rowCount += old == nil ? 1 : 0
        state.liveBytes += place.length - (old?.length ?? 0)
    }

    /// Removes the row of the old entries.
    mutating func leave(_ old: Place) {
        for index in state.indexes.indices { unsafe state.indexes[index].remove(oldEntries[index]) }
        state.rowCount -= 1
        state.liveBytes -= old.length
    }
}
