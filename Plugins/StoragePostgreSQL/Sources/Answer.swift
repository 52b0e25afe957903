import CPostgreSQL
import PatchbayCore

/// The server's result of one statement.
///
/// Safe, because it owns the result, and libpq checks the number of a row and a column.
@safe final class Answer {
    private let result: OpaquePointer

    /// Takes ownership of the result.
    init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe pq_clear(result) }

    var rowCount: Int { Int(unsafe pq_rowCount(result)) }

    /// The number of rows that the statement changed.
    var changedRows: Int { Int(unsafe String(cString: pq_changedRows(result))) ?? 0 }

    func type(_ column: Int) -> UInt32 { unsafe pq_columnType(result, Int32(truncatingIfNeeded: column)) }

    @inline(__always)
    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe pq_isNull(result, Int32(truncatingIfNeeded: row), Int32(truncatingIfNeeded: column)) == 1
    }

    /// Returns the bytes of a value, which the answer owns.
    @inline(__always)
    func bytes(_ row: Int, _ column: Int) -> UnsafeRawBufferPointer {
        let row = Int32(truncatingIfNeeded: row), column = Int32(truncatingIfNeeded: column)
        return unsafe UnsafeRawBufferPointer(
            start: pq_value(result, row, column), count: Int(pq_length(result, row, column)))
    }

    /// Returns the 64 bits of an integer or a real, or zero when the value has another length.
    @inline(__always)
    func word(_ row: Int, _ column: Int) -> UInt64 {
        let bytes = unsafe bytes(row, column)
        guard bytes.count == 8 else { return 0 }
        return UInt64(bigEndian: unsafe bytes.loadUnaligned(as: UInt64.self))
    }

    func integer(_ row: Int, _ column: Int) -> Int64 { Int64(bitPattern: word(row, column)) }

    func boolean(_ row: Int, _ column: Int) -> Bool { unsafe bytes(row, column).first == 1 }

    func text(_ row: Int, _ column: Int) -> String {
        unsafe String(decoding: bytes(row, column), as: UTF8.self)
    }
}

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
