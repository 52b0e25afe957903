import CPostgreSQL

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
