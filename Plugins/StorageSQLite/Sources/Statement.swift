import CSQLite
import PatchbayCore

// The calls of SQLite's statements; those of its connections are in Connection.swift.

/// A prepared statement and the buffer in which its rows are encoded.
///
/// Safe, because it owns the handle and the buffer, and rows in the buffer are lent only while a closure runs.
@safe final class Statement {
    private let handle: OpaquePointer
    /// The connection outlives its statements because it owns them, directly or through its tables.
    unowned let connection: Connection
    /// The fields of the selected rows; nil when the statement selects no rows of a collection.
    let columns: RowColumns?
    /// The buffer for rows, allocated when the first row is read.
    private var buffer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)

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
            unsafe bytes.withUnsafeBytes {
                let text = unsafe UnsafeRawPointer($0.baseAddress ?? UnsafeRawPointer(handle))
                    .assumingMemoryBound(to: CChar.self)
                unsafe sqlite3_bind_text(handle, parameter, text, Int32($0.count), sqlite3_transient())
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

    /// Binds every field of a row, the first to the first parameter.
    ///
    /// Text and bytes are not copied but point into the row, so the statement must run while the row exists, and be
    /// bound again before it runs again.
    func bind(_ row: borrowing RowView, _ types: [FieldType]) {
        let base = unsafe row.rawBytes.withUnsafeBytes { $0.baseAddress! }
        for position in types.indices {
            let parameter = Int32(truncatingIfNeeded: position &+ 1)
            if row.isNull(position) {
                unsafe sqlite3_bind_null(handle, parameter)
                continue
            }
            switch types[position] {
            case .integer: unsafe sqlite3_bind_int64(handle, parameter, row.integer(position))
            case .real: unsafe sqlite3_bind_double(handle, parameter, row.real(position))
            case .text:
                let (start, count) = unsafe bytes(row, position, base)
                let text = unsafe start.assumingMemoryBound(to: CChar.self)
                unsafe sqlite3_bind_text64(handle, parameter, text, count, nil, UInt8(SQLITE_UTF8))
            case .bytes:
                let (start, count) = unsafe bytes(row, position, base)
                unsafe sqlite3_bind_blob64(handle, parameter, start, count, nil)
            }
        }
    }

    /// Returns the address and length of a field's bytes. An empty field needs an address too, or SQLite would bind
    /// null.
    @inline(__always) private func bytes(
        _ row: borrowing RowView, _ position: Int, _ base: UnsafeRawPointer
    ) -> (start: UnsafeRawPointer, count: UInt64) {
        unsafe row.bytes(position).withUnsafeBytes { unsafe ($0.baseAddress ?? base, UInt64($0.count)) }
    }

    /// Visits the current row.
    ///
    /// - Throws: the error of `visit`; `corrupted` when a value does not have the type of its field.
    @inline(__always) func visitRow<Result>(
        _ visit: (borrowing RowView) throws -> Result
    ) throws -> Result {
        guard let columns else { preconditionFailure("the statement selects no row") }
        let count = try readRow(columns)
        // The buffer stays unchanged until the next step, because a nested walk uses another statement.
        let bytes = unsafe UnsafeRawBufferPointer(start: buffer.baseAddress, count: count)
        return try visit(RowView(unchecked: unsafe bytes.bytes))
    }

    /// Encodes the current row into the buffer; see ``PatchbayCore/RowView`` for the layout.
    ///
    /// - Returns: the size of the row in bytes.
    private func readRow(_ columns: RowColumns) throws -> Int {
        if unsafe buffer.count < columns.headBytes { reserve(columns.headBytes, keeping: 0) }
        var nulls = columns.leftOut
        var end = columns.headBytes
        var place: Int32 = 0
        for column in columns.columns {
            // An unprotected value is safe here, because no other task uses the connection meanwhile.
            let value = unsafe sqlite3_column_value(handle, place)
            place &+= 1
            let type = unsafe sqlite3_value_type(value)
            var slot: UInt64 = 0
            if type == column.databaseType {
                switch column.type {
                case .integer: slot = UInt64(bitPattern: unsafe sqlite3_value_int64(value))
                // Adding 0 turns -0, which another program may have stored, into 0.
                case .real: slot = unsafe (sqlite3_value_double(value) + 0).bitPattern
                case .text, .bytes: slot = try unsafe append(value, column, at: &end, columns)
                }
            } else if type == SQLITE_NULL, column.isOptional {
                nulls |= column.nullBit
            } else {
                throw fault(columns, column, type)
            }
            store(slot, at: 8 &+ column.position &* 8)
        }
        store(UInt64(columns.fieldCount) | nulls, at: 0)
        return end
    }

    /// Writes a value into the header or a slot, for which ``readRow(_:)`` has reserved room.
    @inline(__always) private func store(_ value: UInt64, at offset: Int) {
        unsafe buffer.baseAddress!.storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    /// Appends text or bytes, and returns the slot.
    @inline(__always) private func append(
        _ value: OpaquePointer?, _ column: RowColumns.Column, at end: inout Int, _ columns: RowColumns
    ) throws -> UInt64 {
        // Read as a blob, because SQLite would first copy text to terminate it with a zero byte.
        let start = unsafe sqlite3_value_blob(value)
        let count = Int(unsafe sqlite3_value_bytes(value))
        let slot = UInt64(truncatingIfNeeded: count) << 32 | UInt64(truncatingIfNeeded: end)
        guard let start = unsafe start, count > 0 else { return slot }
        if unsafe end &+ count > buffer.count {
            guard end + count <= Limits.rowBytes else {
                throw fault(columns, column, "makes the row longer than \(Limits.rowBytes) bytes")
            }
            reserve(end + count, keeping: end)
        }
        unsafe (buffer.baseAddress! + end).copyMemory(from: start, byteCount: count)
        end &+= count
        return slot
    }

    /// Enlarges the buffer. New bytes are zero, and so are the slots of fields that are not selected.
    private func reserve(_ count: Int, keeping used: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(512, count * 2), alignment: 8)
        unsafe larger.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        unsafe buffer.deallocate()
        unsafe buffer = larger
    }

    private func fault(_ columns: RowColumns, _ column: RowColumns.Column, _ type: Int32) -> PatchbayError {
        fault(columns, column, type == SQLITE_NULL ? "must not be null" : "holds a value of another type")
    }

    private func fault(_ columns: RowColumns, _ column: RowColumns.Column, _ what: String) -> PatchbayError {
        let table = columns.collection.name, field = columns.collection.fields[column.position].name
        return PatchbayError(
            .corrupted,
            "\(table).\(field) \(what) in a stored row; correct or delete the row with the sqlite3 shell",
            [.file(connection.path), .collection(table), .key(keyText(columns)), .field(field)])
    }

    /// The key of the row, as text.
    private func keyText(_ columns: RowColumns) -> String {
        columns.keyPlaces.map { text(Int32($0)) }.joined(separator: ", ")
    }
}

extension FieldType {
    /// SQLite's constant for the type.
    var storageClass: Int32 {
        switch self {
        case .integer: SQLITE_INTEGER
        case .real: SQLITE_FLOAT
        case .text: SQLITE_TEXT
        case .bytes: SQLITE_BLOB
        }
    }
}
