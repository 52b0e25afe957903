import CSQLite
import PatchbayCore

/// A prepared statement and the buffer in which its rows are encoded.
final class Statement {
    let handle: OpaquePointer
    /// The connection outlives its statements because it owns them, directly or through its tables.
    unowned let connection: Connection
    /// The fields of the selected rows; nil when the statement selects no rows of a collection.
    let columns: RowColumns?
    /// The buffer for rows, allocated when the first row is read.
    var buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)

    init(_ handle: OpaquePointer, _ connection: Connection, _ columns: RowColumns?) {
        unsafe self.handle = handle
        self.columns = columns
        self.connection = connection
    }

    deinit {
        unsafe sqlite3_finalize(handle)
        unsafe buffer.deallocate()
    }

    /// Moves to the next row and returns false when there is none.
    @inline(__always) func step() throws -> Bool {
        let result = unsafe sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        throw connection.failure(result)
    }

    /// Makes the statement ready for new values. An error of the last step was already thrown.
    @inline(__always) func reset() { unsafe sqlite3_reset(handle) }

    /// Binds values to the first parameters.
    func bind(_ values: [PartValue]) {
        var parameter: Int32 = 1
        for value in values { bind(value, &parameter) }
    }

    /// Binds the values of a segment to the first parameters, and returns the number of the next parameter.
    @discardableResult func bind(_ segment: Segment) -> Int32 {
        var parameter: Int32 = 1
        for value in segment.equal { bind(value, &parameter) }
        if let lower = segment.lower { bind(lower.value, &parameter) }
        if let upper = segment.upper { bind(upper.value, &parameter) }
        return parameter
    }

    private func bind(_ value: PartValue, _ parameter: inout Int32) {
        switch value {
        case .null: unsafe sqlite3_bind_null(handle, parameter)
        case .integer(let number): bind(number, parameter)
        case .text(let bytes):
            // SQLite copies the text, because the array may be released before the statement has run.
            bytes.withUnsafeBytes {
                let text = unsafe UnsafeRawPointer($0.baseAddress ?? UnsafeRawPointer(handle))
                    .assumingMemoryBound(to: CChar.self)
                unsafe sqlite3_bind_text(handle, parameter, text, Int32($0.count), Statement.copied)
            }
        }
        parameter += 1
    }

    @inline(__always) func bind(_ number: Int64, _ parameter: Int32) {
        unsafe sqlite3_bind_int64(handle, parameter, number)
    }

    func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    func text(_ column: Int32) -> String {
        unsafe sqlite3_column_text(handle, column).map { unsafe String(cString: $0) } ?? ""
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import: the address -1.
    private static let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
