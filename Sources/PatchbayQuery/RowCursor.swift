import CSQLite
import PatchbayCore
import PatchbayDomain

/// The rows of a table while a statement reads them.
///
/// Rows are copied in batches, because a storage passes its rows to a closure, while SQLite fetches them one by one.
/// The next batch continues after the key of the last row, in the same transaction.
///
/// Safe, because it owns its batch, and rows in it are read only until the next one is filled.
@safe final class RowCursor: ModuleCursor {
    private let table: OpenTable
    private let batch: UnsafeMutablePointer<CopiedRows>
    private let known: UnsafeMutablePointer<KnownRows>
    /// The plan whose rows are kept; -1 for none.
    private var knownPlan = -1
    /// The rows that follow the batch; nil when there are none.
    private var rest: Query?
    private var rowsMax = 0
    /// What each column of the table shows, without its name, whose references would be counted for each value.
    private let columns: [(content: QueryColumn.Content, type: ValueType)]

    /// The sizes of batches: small ones first, because many statements need few rows.
    private static let firstRows = 16
    /// The PostgreSQL storage fetches this number in whole pieces; more rows make no batch cheaper.
    private static let rowsMost = 672
    /// The size at which a batch ends before its number of rows.
    private static let bytesMost = 1 << 20

    init(_ table: OpenTable) {
        self.table = table
        columns = table.declared.columns.map { ($0.content, $0.type) }
        unsafe batch = .allocate(capacity: 1)
        unsafe batch.initialize(to: CopiedRows(leavesOutGone: !table.declared.isAll))
        unsafe known = .allocate(capacity: 1)
        unsafe known.initialize(to: KnownRows())
    }

    deinit {
        unsafe batch.pointee.deallocate()
        unsafe batch.deallocate()
        unsafe known.pointee.deallocate()
        unsafe known.deallocate()
    }

    // MARK: Walking

    override var isAtEnd: Bool { unsafe batch.pointee.isAtEnd }

    override func advance() throws {
        unsafe batch.pointee.advance()
        if unsafe batch.pointee.isAtEnd { try fill() }
    }

    override func start(_ number: Int, _ values: UnsafeBufferPointer<OpaquePointer?>) throws {
        if number == knownPlan, let row = unsafe known.pointee.row(values[0]) {
            rest = nil
            unsafe batch.pointee.clear()
            if row.count > 0 { unsafe batch.pointee.append(copy: row) }
            return
        }
        let conditions = unsafe values.map { unsafe ConditionValue($0) }
        let plan = table.connection.plans[number].plan
        if let column = plan.numberColumn(conditions, in: table.declared) { throw column }
        rest = nil
        unsafe batch.pointee.clear()
        let collection = table.declared.resource.collection
        guard !table.connection.reading.lacks(collection.name) else { return }
        let reader = table.connection.reading.reader
        unsafe batch.pointee.need(plan.texts)
        switch plan.visit(conditions, in: table.declared) {
        case .nothing: return
        case .count: unsafe batch.pointee.uncounted = try reader.count(Query(collection))
        case .row(let key):
            let batch = unsafe batch
            _ = try reader.get(key, in: collection, fields: plan.fields) { unsafe batch.pointee.append($0) }
            unsafe batch.pointee.rewind()
            guard plan.keepsRows else { return }
            knownPlan = number
            unsafe known.pointee.add(values[0], batch.pointee.row)
        case .rows(let query):
            rest = query
            rowsMax = Self.firstRows
            try fill()
        }
    }

    /// Reads batches until one has a row, or all rows are read.
    private func fill() throws {
        let batch = unsafe batch
        while unsafe batch.pointee.isAtEnd, var query = rest {
            try table.connection.checkTime()
            unsafe batch.pointee.clear()
            query.limit = rowsMax
            var visited = 0, after: Key?
            let most = rowsMax
            try table.connection.reading.reader.scan(query) { row in
                visited += 1
                unsafe batch.pointee.append(row)
                guard unsafe visited >= most || batch.pointee.byteCount >= Self.bytesMost else {
                    return .next
                }
                after = query.collection.key(of: row, in: query.index)
                return .stop
            }
            unsafe batch.pointee.rewind()
            query.after = after
            rest = after == nil ? nil : query
            rowsMax = min(rowsMax * 4, Self.rowsMost)
        }
    }

    override func fail(_ error: any Error) { table.connection.fail(error) }

    // MARK: Values

    override func write(_ column: Int, to context: OpaquePointer) {
        guard let bytes = unsafe batch.pointee.row else { return unsafe sqlite3_result_null(context) }
        let row = unsafe RowView(unchecked: bytes.bytes)
        let (content, type) = columns[column]
        switch content {
        case .stored(let position): unsafe write(row, position, type, to: context)
        case .edited(let position, let edit):
            if row.isNull(edit) { return unsafe write(row, position, .text, to: context) }
            if row.bytes(edit).byteCount == 0 { return unsafe sqlite3_result_null(context) }
            unsafe write(row, edit, .text, to: context)
        case .key:
            let text = KeyText(table.declared.resource.collection.key(of: row)).text
            unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe Self.write($0, to: context) }
        case .age:
            let position = ItemState.fetchedAtPosition
            if row.isNull(position) { return unsafe sqlite3_result_null(context) }
            let time = Timestamp(milliseconds: row.integer(position))
            guard let age = time.storedAge(at: table.connection.now) else {
                return unsafe sqlite3_result_null(context)
            }
            unsafe sqlite3_result_int64(context, age.components.seconds)
        }
    }

    @inline(__always)
    private func write(
        _ row: borrowing RowView, _ position: Int, _ type: ValueType, to context: OpaquePointer
    ) {
        if row.isNull(position) { return unsafe sqlite3_result_null(context) }
        switch type {
        case .integer, .boolean: unsafe sqlite3_result_int64(context, row.integer(position))
        case .real: unsafe sqlite3_result_double(context, row.real(position))
        case .text, .json: unsafe row.bytes(position).withUnsafeBytes { unsafe Self.write($0, to: context) }
        case .time:
            unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Timestamp.textBytesMax) { room in
                let count = unsafe Timestamp(row, at: position).write(to: room.baseAddress!)
                unsafe Self.write(
                    UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room)[..<count]), to: context)
            }
        }
    }

    @inline(__always)
    static func write(_ bytes: UnsafeRawBufferPointer, to context: OpaquePointer) {
        // SQLite copies the text, because an aggregate may keep it after the batch.
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let start = unsafe start else {
            return unsafe sqlite3_result_text(context, "", 0, sqlite3_transient())
        }
        unsafe sqlite3_result_text64(
            context, start, UInt64(bytes.count), sqlite3_transient(), UInt8(SQLITE_UTF8))
    }
}

extension ConditionValue {
    /// The value of a condition, as SQLite passes it.
    fileprivate init(_ value: OpaquePointer?) {
        switch unsafe sqlite3_value_type(value) {
        case SQLITE_NULL: self = .null
        case SQLITE_INTEGER: self = .integer(unsafe sqlite3_value_int64(value))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_value_text(value)
            let size = Int(unsafe sqlite3_value_bytes(value))
            self = .text(unsafe [UInt8](UnsafeBufferPointer(start: start, count: size)))
        default: self = .other
        }
    }
}
