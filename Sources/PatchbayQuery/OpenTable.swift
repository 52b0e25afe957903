import CSQLite
import PatchbayCore
import PatchbayDomain

/// The rows of a resource as a table of an open connection.
final class OpenTable: ModuleTable {
    let declared: QueryTable

    init(_ declared: QueryTable, _ connection: SQLConnection) {
        self.declared = declared
        super.init(declared.declaration, of: connection)
    }

    override func cursor() -> ModuleCursor { RowCursor(self) }

    override func plan(_ info: UnsafeMutablePointer<sqlite3_index_info>) -> Int32 {
        connection.use(declared.name)
        var request = PlanRequest()
        var places: [Int] = []
        for place in 0..<Int(unsafe info.pointee.nConstraint) {
            let constraint = unsafe info.pointee.aConstraint[place]
            guard let operation = PlanRequest.Operator(constraint.op), constraint.iColumn >= 0,
                !(connection.traits.keepsRows && operation.isAuxiliary)
            else { continue }
            let collation = unsafe sqlite3_vtab_collation(info, Int32(place))
            var value: OpaquePointer?
            let isConstant = unsafe sqlite3_vtab_rhs_value(info, Int32(place), &value) == SQLITE_OK
            let isListed =
                unsafe operation == .equal && !isConstant
                && (connection.traits.hasListsOfRows || place >= Self.listsMax
                    || sqlite3_vtab_in(info, Int32(place), -1) != 0)
            let column = Int(constraint.iColumn)
            if isListed, connection.numberColumns.contains(declared.numbers(in: column)) { continue }
            request.conditions.append(
                PlanRequest.Condition(
                    column: column, operation: operation, isUsable: constraint.usable != 0,
                    isConstant: isConstant, isListed: isListed,
                    isText: unsafe isConstant
                        ? sqlite3_value_type(value) == SQLITE_TEXT : connection.traits.hasOnlyParameters,
                    collation: unsafe collation.map { unsafe String(cString: $0) } ?? "BINARY"))
            places.append(place)
        }
        for place in 0..<Int(unsafe info.pointee.nOrderBy) {
            let term = unsafe info.pointee.aOrderBy[place]
            request.order.append((Int(term.iColumn), term.desc != 0))
        }
        request.columns = unsafe info.pointee.colUsed
        var isRepeated = false
        do {
            // The number of rows matters only for the order in which tables are joined.
            if request.conditions.contains(where: { !$0.isUsable }) {
                request.tableRows = try connection.roughCount(of: declared)
            }
            // In a statement with one table, such a value is a parameter, or one of a list.
            if connection.used.count > 1,
                request.conditions.contains(where: {
                    $0.isUsable && !$0.isConstant && $0.operation == .equal
                })
            {
                let rows = try connection.roughCount(of: declared)
                isRepeated = true
                request.knowsRows = rows <= Double(KnownRows.rowsMax)
            }
            for place in declared.orders.indices where declared.joins(by: place, request) {
                request.valueRows[place] = try connection.roughCount(ofValueIn: place, of: declared)
            }
        } catch {
            connection.fail(error)
            return SQLITE_ERROR
        }
        var plan = declared.plan(request)
        plan.keepsRows = isRepeated && plan.isKey && plan.uses.count == 1
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
        if plan.isUnique { unsafe info.pointee.idxFlags = SQLITE_INDEX_SCAN_UNIQUE }
        return SQLITE_OK
    }
}

extension OpenTable {
    /// The number of conditions of which SQLite reports whether their values are those of IN.
    private static let listsMax = 32
}

extension PlanRequest.Operator {
    /// Whether SQLite itself does not use such a condition, and reports it without checking where it applies: an outer
    /// join keeps rows for which a condition of its ON is not true.
    fileprivate var isAuxiliary: Bool { [.like, .glob, .isNotNull].contains(self) }

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
