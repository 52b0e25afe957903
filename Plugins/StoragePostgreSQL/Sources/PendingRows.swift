import PatchbayCore

/// Rows of one collection that were put but not sent yet.
struct PendingRows {
    /// The most rows in one statement.
    static let rowsMax = 1_000

    let table: Table
    private(set) var rows: RowBatch
    private var keys: Set<[UInt8]> = []
    /// The first and the last key, as long as the keys are ascending.
    private(set) var ascending: (first: [UInt8], last: [UInt8])?
    private var isAscending = true

    init(_ table: Table) {
        self.table = table
        rows = RowBatch(of: table.collection, rowsMax: Self.rowsMax)
    }

    /// Copies a row. Returns false when the row must go into another statement, because this one is full or already
    /// has a row with the same key, which one statement cannot change twice.
    mutating func add(_ row: borrowing RowView) throws -> Bool {
        if rows.isFull { return false }
        var key: [UInt8] = []
        key.reserveCapacity(32)
        try table.collection.appendEntry(of: row, in: table.collection.primaryKey, to: &key)
        let isNext = isAscending && ascending.map { $0.last.lexicographicallyPrecedes(key) } ?? true
        // Ascending keys are unique, so the set is needed only for others.
        if !isNext {
            if isAscending { keys = Set(allKeys()) }
            isAscending = false
            guard keys.insert(key).inserted else { return false }
        }
        ascending = isAscending ? (ascending?.first ?? key, key) : nil
        rows.append(row)
        return true
    }

    private func allKeys() -> [[UInt8]] {
        (0..<rows.count).map { number in
            var key: [UInt8] = []
            // The key was short enough when the row was added, so this does not throw.
            _ = try? table.collection.appendEntry(
                of: rows.row(number), in: table.collection.primaryKey, to: &key)
            return key
        }
    }
}
