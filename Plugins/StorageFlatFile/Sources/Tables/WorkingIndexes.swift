import PatchbayCore

/// The indexes of a collection that is being changed, and the state that they belong to.
///
/// This is a value type, so that one exclusive access covers all work on a row.
struct WorkingIndexes {
    /// After this many changes, the changed pages move from memory to the index file before the commit: at most 64 MiB
    /// an index.
    private static let changesMax = 1 << 14

    var state: TableState
    /// The number of changes since the last ``flush()``.
    private var changeCount = 0
    /// Contains the older row that a change replaces, or the row that was read last.
    private var scratch: Scratch
    /// The place of the row in the scratch memory when the transaction has just read it, because most rows are put
    /// right after they are read.
    private var justRead: Place?
    private let newEntries: RowEntries
    private let oldEntries: RowEntries

    init(_ state: TableState, _ scratch: Scratch) {
        self.state = state
        self.scratch = scratch
        newEntries = RowEntries(indexesMax: state.collection.indexes.count)
        oldEntries = RowEntries(indexesMax: state.collection.indexes.count)
    }

    /// Writes the changed pages to the index file, if there is one that may be written.
    mutating func flush() throws {
        guard let pages = state.pages, pages.isWritable else { return }
        let writer = PageWriter(pages)
        state.indexes = try state.indexes.map { try $0.written(by: writer) }
        changeCount = 0
    }

    mutating func removeAll() {
        state.indexes = state.indexes.map { IndexState($0.file) }
        (state.rowCount, state.liveBytes) = (0, 0)
        justRead = nil
        state.changeCount += 1
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
    /// - Returns: the place of the older row; nil when there is none.
    /// - Throws: `invalidValue` when an entry is too long.
    mutating func findOld(replacedBy row: borrowing RowView, _ unwritten: Unwritten) throws -> Place? {
        try newEntries.fill(row, state.collection)
        return try unsafe findOld(newEntries[0].bytes, unwritten)
    }

    /// Finds the row with a key that is to be removed, and computes its entries; nil when there is none.
    mutating func findOld(_ key: [UInt8], _ unwritten: Unwritten) throws -> Place? {
        try unsafe key.withUnsafeBytes { try unsafe findOld($0, unwritten) }
    }

    private mutating func findOld(_ key: UnsafeRawBufferPointer, _ unwritten: Unwritten) throws -> Place? {
        if changeCount > WorkingIndexes.changesMax { try flush() }
        let known = justRead
        justRead = nil
        let oldEntries = oldEntries, collection = state.collection
        if let known, unsafe scratch.key.withUnsafeBytes({ unsafe $0.isEqual(to: key) }) {
            try scratch.visitRow { try oldEntries.fill($0, collection) }
            return known
        }
        guard let old = try unsafe state.indexes[0].find(key) else { return nil }
        try state.visitRow(at: old, unwritten, scratch) { try oldEntries.fill($0, collection) }
        return old
    }

    /// Calls `visit` with the row that was found last.
    func visitOld(_ visit: (borrowing RowView) throws -> Void) rethrows { try scratch.visitRow(visit) }

    /// The position of an index where the row that is to be entered has the unique values of another row.
    ///
    /// Changes nothing; it is mutating because a call to another method would copy the indexes.
    ///
    /// - Parameter hasOld: whether it replaces the row of the old entries, whose values it may keep.
    mutating func conflict(hasOld: Bool) throws -> Int? {
        for position in state.indexes.indices.dropFirst() where newEntries[position].isUnique {
            if hasOld, newEntries.isEqual(to: oldEntries, position) { continue }
            if try unsafe state.indexes[position].holds(prefix: newEntries[position].own) { return position }
        }
        return nil
    }

    /// Removes the old entries when there is an older row, and makes the new ones lead to the line of a newer row.
    ///
    /// - Throws: when an index is damaged; the state must not be used after that.
    mutating func replace(_ old: Place?, with new: Place?) throws {
        for index in state.indexes.indices {
            if old != nil, new == nil || (index > 0 && !oldEntries.isEqual(to: newEntries, index)) {
                try unsafe state.indexes[index].remove(oldEntries[index].bytes)
            }
            if let new { try unsafe state.indexes[index].set(newEntries[index].bytes, new) }
        }
        state.rowCount += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        state.liveBytes += (new?.length ?? 0) - (old?.length ?? 0)
        state.changeCount += 1
        changeCount += 1
    }
}
