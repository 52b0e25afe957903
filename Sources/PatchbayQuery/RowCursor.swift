import CSQLite
import PatchbayCore
import PatchbayDomain

/// The rows of a table while a statement reads them.
///
/// Rows are copied in batches, because a storage passes its rows to a closure, while SQLite fetches them one by one.
/// The next batch continues after the key of the last row, in the same transaction.
///
/// Safe, because it owns its memory, and rows in it are read only until the next batch.
@safe final class RowCursor {
    let table: OpenTable
    private var plan: TablePlan?
    /// The rows that follow the batch; nil when there are none.
    private var rest: Query?
    private var rowsMax = 0
    private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 8)
    private var used = 0
    /// The ends of the rows in the buffer.
    private var ends: [Int] = []
    private var place = 0
    /// The rows that are left if only their number matters.
    private var uncounted = 0
    /// Whether the texts of rows are needed; otherwise only the slots are copied.
    private var needsTexts = true

    /// The sizes of batches: small ones first, because many statements need few rows.
    private static let firstRows = 16
    /// The PostgreSQL storage fetches this number in whole pieces; more rows make no batch cheaper.
    private static let rowsMost = 672
    /// The size at which a batch ends before its number of rows.
    private static let bytesMost = 1 << 20

    init(_ table: OpenTable) { self.table = table }

    deinit { unsafe buffer.deallocate() }

    // MARK: Walking

    func start(_ plan: TablePlan, _ values: [ConditionValue]) throws {
        self.plan = plan
        rest = nil
        uncounted = 0
        clear()
        let collection = table.declared.resource.collection
        guard !table.connection.reading.lacks(collection.name) else { return }
        let reader = table.connection.reading.reader
        switch plan.visit(values, in: table.declared) {
        case .nothing: return
        case .count: uncounted = try reader.count(Query(collection))
        case .row(let key):
            setTexts(plan.fields)
            _ = try reader.get(key, in: collection, fields: plan.fields) { keep($0) }
        case .rows(let query):
            setTexts(plan.fields)
            rest = query
            rowsMax = Self.firstRows
            try fill()
        }
    }

    var isAtEnd: Bool { place >= ends.count && uncounted == 0 }

    func advance() throws {
        if uncounted > 0 {
            uncounted -= 1
            return
        }
        place += 1
        if place >= ends.count { try fill() }
    }

    /// Reads batches until one has a row, or all rows are read.
    private func fill() throws {
        while place >= ends.count, var query = rest {
            try table.connection.checkTime()
            clear()
            query.limit = rowsMax
            var visited = 0, after: Key?
            try table.connection.reading.reader.scan(query) { row in
                visited += 1
                keep(row)
                guard visited >= rowsMax || used >= Self.bytesMost else { return .next }
                after = query.collection.key(of: row, in: query.index)
                return .stop
            }
            query.after = after
            rest = after == nil ? nil : query
            rowsMax = min(rowsMax * 4, Self.rowsMost)
        }
    }

    private func clear() {
        place = 0
        used = 0
        ends.removeAll(keepingCapacity: true)
    }

    private func setTexts(_ fields: FieldSet) {
        let types = table.declared.resource.collection.fields
        needsTexts = types.indices.contains {
            fields.contains(position: $0) && (types[$0].type == .text || types[$0].type == .bytes)
        }
    }

    /// Copies a row, unless the table leaves it out.
    @inline(__always)
    private func keep(_ row: borrowing RowView) {
        if !table.declared.isAll, ItemState.isGone(row) { return }
        let count = needsTexts ? row.byteCount : 8 &+ row.fieldCount &* 8
        if unsafe used &+ count > buffer.count { grow(count) }
        unsafe row.rawBytes.withUnsafeBytes { bytes in
            unsafe (buffer.baseAddress! + used).copyMemory(from: bytes.baseAddress!, byteCount: count)
        }
        // Aligned, so that reading a slot needs one access.
        used = (used &+ count &+ 7) & ~7
        ends.append(used)
    }

    private func grow(_ count: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: unsafe max(buffer.count * 2, used + count + 8), alignment: 8)
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[..<used]))
        unsafe buffer.deallocate()
        unsafe buffer = larger
    }

    // MARK: Values

    /// Passes the value of a column to SQLite.
    @inline(__always)
    func write(_ column: Int, to context: OpaquePointer) {
        guard place < ends.count else { return unsafe sqlite3_result_null(context) }
        let start = place == 0 ? 0 : ends[place - 1]
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<ends[place]])
        let row = unsafe RowView(unchecked: bytes.bytes)
        let declared = table.declared.columns[column]
        switch declared.content {
        case .stored(let position): unsafe write(row, position, declared.type, to: context)
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
            let age = Timestamp(milliseconds: row.integer(position)).age(at: table.connection.now)
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
    private static func write(_ bytes: UnsafeRawBufferPointer, to context: OpaquePointer) {
        // SQLite copies the text, because an aggregate may keep it after the batch.
        let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let start = unsafe start else {
            return unsafe sqlite3_result_text(context, "", 0, sqlite3_transient())
        }
        unsafe sqlite3_result_text64(
            context, start, UInt64(bytes.count), sqlite3_transient(), UInt8(SQLITE_UTF8))
    }
}
