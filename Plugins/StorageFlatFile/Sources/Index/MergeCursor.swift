import PatchbayCore

/// Walks the entries of several sorted lists as one. Where two contain the same key, the newer list's entry is used.
struct MergeCursor {
    /// Those with entries left, the newest first.
    private var cursors: [EntryCursor] = []
    private let isDescending: Bool
    private var best = 0
    private var hasStarted = false

    /// - Parameter runs: the newest first; all are older than the delta.
    init(_ delta: Delta, _ runs: ArraySlice<Run>, _ range: KeyRange, _ order: Query.Order) throws {
        isDescending = order == .descending
        if range.isEmpty { return }
        cursors.reserveCapacity(runs.count + 1)
        if !delta.isEmpty, let cursor = try EntryCursor(.delta(delta), range, descending: isDescending) {
            cursors.append(cursor)
        }
        for run in runs {
            if let cursor = try EntryCursor(.run(run), range, descending: isDescending) {
                cursors.append(cursor)
            }
        }
    }

    /// Moves to the next key and returns its place, which may be ``Place/deleted``; nil at the end.
    mutating func nextEntry() throws -> Place? {
        if hasStarted, !cursors.isEmpty { try advance(best) }
        hasStarted = true
        guard !cursors.isEmpty else { return nil }
        best = 0
        var other = 1
        while other < cursors.count {
            let order = cursors[other].view.compare(
                cursors[other].slot, cursors[best].view, cursors[best].slot)
            if order == 0 {
                // An older entry, which the best one hides.
                let count = cursors.count
                try advance(other)
                if cursors.count < count { continue }
            } else if (order < 0) != isDescending {
                best = other
            }
            other += 1
        }
        return cursors[best].view.place(cursors[best].slot)
    }

    /// Moves to the next key that is not deleted.
    mutating func next() throws -> Place? {
        while let place = try nextEntry() {
            if !place.isDeleted { return place }
        }
        return nil
    }

    /// The key of the entry that ``next()`` returned.
    var key: UnsafeRawBufferPointer { unsafe cursors[best].view.key(cursors[best].slot) }

    private mutating func advance(_ index: Int) throws {
        try cursors[index].advance()
        if cursors[index].isDone { cursors.remove(at: index) }
    }
}
