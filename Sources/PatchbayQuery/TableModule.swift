import CSQLite
import PatchbayCore
import PatchbayDomain

// The functions that SQLite calls for virtual tables. Each passes the call on to `OpenTable` or `RowCursor`, and keeps
// an error for the statement, because SQLite only takes a code.

/// A table of an open connection.
///
/// Unowned, because the connection owns its tables.
final class OpenTable {
    let declared: QueryTable
    unowned let connection: SQLConnection

    init(_ declared: QueryTable, _ connection: SQLConnection) {
        self.declared = declared
        self.connection = connection
    }

    /// SQLite's object for the table, and the table.
    @unsafe fileprivate struct Object {
        var base = unsafe sqlite3_vtab()
        let table: Unmanaged<OpenTable>
    }

    /// SQLite's object for a cursor, and the cursor, which the object owns.
    @unsafe fileprivate struct CursorObject {
        var base = unsafe sqlite3_vtab_cursor()
        let cursor: Unmanaged<RowCursor>
        let batch: UnsafeMutablePointer<CopiedRows>
    }

    /// Makes the table known under a name. Because the module has no xCreate, the table exists without a declaration in
    /// the schema.
    func register(_ name: String, with handle: OpaquePointer) throws {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let result = unsafe sqlite3_create_module_v2(handle, name, Self.module, context, nil)
        guard result == SQLITE_OK else { throw connection.failure(result) }
    }

    /// Lives as long as the process, as SQLite requires. Nothing changes it.
    nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        var functions = sqlite3_module()
        functions.iVersion = 1
        unsafe functions.xConnect = { handle, context, _, _, result, _ in
            let table = unsafe Unmanaged<OpenTable>.fromOpaque(context!)
            let declared = unsafe table.takeUnretainedValue()
            let code = declared.connection.declaring {
                unsafe sqlite3_declare_vtab(handle, declared.declared.declaration)
            }
            guard code == SQLITE_OK else { return code }
            let object = UnsafeMutablePointer<Object>.allocate(capacity: 1)
            unsafe object.initialize(to: Object(table: table))
            unsafe result!.pointee = UnsafeMutableRawPointer(object).assumingMemoryBound(
                to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        unsafe functions.xDisconnect = { object in
            unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self).deallocate()
            return SQLITE_OK
        }
        unsafe functions.xDestroy = functions.xDisconnect
        unsafe functions.xBestIndex = { object, info in
            let table = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self).pointee
                .table
            return unsafe table._withUnsafeGuaranteedRef { unsafe $0.plan(info!) }
        }
        unsafe functions.xOpen = { object, result in
            let table = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: Object.self).pointee
                .table
            let cursor = unsafe RowCursor(table.takeUnretainedValue())
            let opened = UnsafeMutablePointer<CursorObject>.allocate(capacity: 1)
            unsafe opened.initialize(
                to: CursorObject(cursor: Unmanaged.passRetained(cursor), batch: cursor.batch))
            unsafe result!.pointee = UnsafeMutableRawPointer(opened).assumingMemoryBound(
                to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        unsafe functions.xClose = { object in
            let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
            unsafe opened.pointee.cursor.release()
            unsafe opened.deallocate()
            return SQLITE_OK
        }
        unsafe functions.xFilter = { object, number, _, count, values in
            unsafe cursor(object) { cursor in
                try unsafe cursor.table.start(cursor, plan: Int(number), Int(count), values)
            }
        }
        unsafe functions.xNext = { object in
            let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
            let batch = unsafe opened.pointee.batch
            unsafe batch.pointee.advance()
            return unsafe batch.pointee.isAtEnd ? cursor(object) { try $0.fill() } : SQLITE_OK
        }
        unsafe functions.xEof = { object in
            let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
            return unsafe opened.pointee.batch.pointee.isAtEnd ? 1 : 0
        }
        unsafe functions.xColumn = { object, context, column in
            let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
            unsafe opened.pointee.cursor._withUnsafeGuaranteedRef {
                unsafe $0.write(Int(column), to: context!)
            }
            return SQLITE_OK
        }
        // Never called for a table without a rowid.
        unsafe functions.xRowid = { _, _ in SQLITE_ERROR }
        unsafe module.initialize(to: functions)
        return unsafe module
    }()

    /// Runs a function of a cursor; an error is kept for the statement.
    private static func cursor(
        _ object: UnsafeMutablePointer<sqlite3_vtab_cursor>?, _ body: (RowCursor) throws -> Void
    ) -> Int32 {
        let opened = unsafe UnsafeMutableRawPointer(object!).assumingMemoryBound(to: CursorObject.self)
        return unsafe opened.pointee.cursor._withUnsafeGuaranteedRef { cursor in
            do {
                try body(cursor)
                return SQLITE_OK
            } catch {
                cursor.table.connection.fail(error)
                return SQLITE_ERROR
            }
        }
    }
}

extension OpenTable {
    fileprivate func start(
        _ cursor: RowCursor, plan number: Int, _ count: Int,
        _ values: UnsafeMutablePointer<OpaquePointer?>?
    ) throws {
        let values = (0..<count).map { place -> ConditionValue in
            let value = unsafe values![place]
            switch unsafe sqlite3_value_type(value) {
            case SQLITE_NULL: return .null
            case SQLITE_INTEGER: return .integer(unsafe sqlite3_value_int64(value))
            case SQLITE_TEXT:
                let start = unsafe sqlite3_value_text(value)
                let size = Int(unsafe sqlite3_value_bytes(value))
                return .text(unsafe [UInt8](UnsafeBufferPointer(start: start, count: size)))
            default: return .other
            }
        }
        try cursor.start(connection.plans[number].plan, values)
    }

    /// Answers xBestIndex.
    fileprivate func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> Int32 {
        var request = PlanRequest()
        var places: [Int] = []
        for place in 0..<Int(unsafe info.pointee.nConstraint) {
            let constraint = unsafe info.pointee.aConstraint[place]
            guard let operation = PlanRequest.Operator(constraint.op), constraint.iColumn >= 0 else {
                continue
            }
            let collation = unsafe sqlite3_vtab_collation(info, Int32(place))
            var value: OpaquePointer?
            let isConstant = unsafe sqlite3_vtab_rhs_value(info, Int32(place), &value) == SQLITE_OK
            request.conditions.append(
                PlanRequest.Condition(
                    column: Int(constraint.iColumn), operation: operation, isUsable: constraint.usable != 0,
                    isConstant: isConstant,
                    collation: unsafe collation.map { unsafe String(cString: $0) } ?? "BINARY"))
            places.append(place)
        }
        for place in 0..<Int(unsafe info.pointee.nOrderBy) {
            let term = unsafe info.pointee.aOrderBy[place]
            request.order.append((Int(term.iColumn), term.desc != 0))
        }
        request.columns = unsafe info.pointee.colUsed
        do {
            // The number of rows matters only for the order in which tables are joined.
            if request.conditions.contains(where: { !$0.isUsable }) {
                request.tableRows = try connection.roughCount(of: declared)
            }
            for place in declared.orders.indices where declared.joins(by: place, request) {
                request.valueRows[place] = try connection.roughCount(ofValueIn: place, of: declared)
            }
        } catch {
            connection.fail(error)
            return SQLITE_ERROR
        }
        var plan = declared.plan(request)
        let texts = plan.fields.intersection(declared.texts)
        plan.texts = texts == declared.texts ? nil : texts.rawValue
        for (number, use) in plan.uses.enumerated() {
            unsafe info.pointee.aConstraintUsage[places[use.condition]].argvIndex = Int32(number + 1)
        }
        unsafe info.pointee.idxNum = Int32(connection.plans.count)
        connection.plans.append((declared, plan))
        unsafe info.pointee.orderByConsumed = plan.isOrdered ? 1 : 0
        unsafe info.pointee.estimatedCost = plan.cost
        unsafe info.pointee.estimatedRows = Int64(plan.rows)
        if plan.isKey { unsafe info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE }
        return SQLITE_OK
    }
}

extension PlanRequest.Operator {
    /// The operator of a constraint; nil for one that is not a condition, such as LIMIT.
    fileprivate init?(_ number: UInt8) {
        switch Int32(number) {
        case SQLITE_INDEX_CONSTRAINT_EQ: self = .equal
        case SQLITE_INDEX_CONSTRAINT_IS: self = .same
        case SQLITE_INDEX_CONSTRAINT_LT: self = .less
        case SQLITE_INDEX_CONSTRAINT_LE: self = .lessOrEqual
        case SQLITE_INDEX_CONSTRAINT_GT: self = .greater
        case SQLITE_INDEX_CONSTRAINT_GE: self = .greaterOrEqual
        case SQLITE_INDEX_CONSTRAINT_LIKE: self = .like
        case SQLITE_INDEX_CONSTRAINT_GLOB: self = .glob
        case SQLITE_INDEX_CONSTRAINT_ISNULL: self = .isNull
        case SQLITE_INDEX_CONSTRAINT_ISNOTNULL: self = .isNotNull
        case SQLITE_INDEX_CONSTRAINT_LIMIT, SQLITE_INDEX_CONSTRAINT_OFFSET: return nil
        default: self = .other
        }
    }
}
