import PatchbayCore
import PatchbayDomain

/// How a table is read for a statement: along which order, and which conditions bound the walk.
///
/// A bound may leave in rows that the condition excludes, because SQLite checks every condition again; so a value of
/// an unexpected type only makes a walk longer.
struct TablePlan: Sendable {
    /// What a value from the statement bounds.
    enum Role: Sendable {
        /// The value of a part of the order; parts are bound from the first one on. Null is a value only of `IS`.
        case equal(QueryColumn, matchesNull: Bool)
        /// No value: the part is null.
        case absent
        /// The least value of the next part.
        case lower(QueryColumn, isInclusive: Bool)
        case upper(QueryColumn, isInclusive: Bool)
        /// The pattern of GLOB or LIKE, whose beginning is that of the next part.
        case pattern(QueryColumn, wildcards: StaticString)
        /// No value: the next part is not null.
        case present
        case keyText
    }

    /// A condition of the statement, by its number, and what it bounds.
    struct Use: Sendable {
        let condition: Int
        let role: Role
    }

    var order: QueryTable.Order
    var uses: [Use] = []
    /// Whether the uses name a row by its key.
    var isKey = false
    /// Whether that is the only row, which it need not be if a text is compared with numbers.
    var isUnique = false
    /// The uses of the values of IN that are compared with texts, with the columns.
    var listed: [(use: Int, column: Int)] = []
    /// Whether a join may look up the same row again, so that it is kept (``KnownRows``).
    var keepsRows = false
    /// Whether only the number of rows matters.
    var countsOnly = false
    var isDescending = false
    /// Whether the rows come in the order that the statement needs.
    var isOrdered = false
    var fields = FieldSet.all
    /// The bits of the texts among them; nil if these are all texts.
    var texts: UInt64?
    /// Estimates: the cost in rows read, and the number of rows returned.
    var cost = 0.0
    var rows = 0.0
}

/// What SQLite needs of a table.
struct PlanRequest {
    enum Operator: Equatable {
        case equal, same, less, lessOrEqual, greater, greaterOrEqual, like, glob, isNull, isNotNull, other
    }

    struct Condition {
        /// The place of the column.
        let column: Int
        let operation: Operator
        /// Whether the value is known before the table is read.
        let isUsable: Bool
        /// Whether the value is in the statement.
        let isConstant: Bool
        /// Whether the value is one of those of IN.
        let isListed: Bool
        /// Whether a text is compared with the value as with a text, so that only equal bytes are equal. If the value
        /// is a number of a column, 5 is equal to the texts 5, 05 and 5.0.
        let isText: Bool
        /// The name of the collation of a comparison.
        let collation: String
    }

    var conditions: [Condition] = []
    var order: [(column: Int, isDescending: Bool)] = []
    /// The columns that are read; the last bit is for all from the 64th on.
    var columns: UInt64 = .max
    /// The number of rows of the table, or an estimate.
    var tableRows = 1_000_000.0
    /// Whether rows are looked up repeatedly, and soon known, because the table has few.
    var knowsRows = false
    /// How many rows have the same value in the first part of an order, by its place; missing when that is unknown.
    var valueRows: [Int: Double] = [:]
}

extension QueryTable {
    /// The cheapest plan.
    func plan(_ request: PlanRequest) -> TablePlan {
        var plan = cheapest(request)
        for (number, use) in plan.uses.enumerated() {
            let condition = request.conditions[use.condition]
            if condition.isListed, columns[condition.column].type.isText {
                plan.listed.append((number, condition.column))
            }
        }
        return plan
    }

    private func cheapest(_ request: PlanRequest) -> TablePlan {
        if let key = keyPlan(request) { return key }
        let needed = fields(of: request.columns)
        var best: TablePlan?
        var bestCost = Double.infinity
        for (place, order) in orders.enumerated() {
            var plan = plan(along: order, valueRows: request.valueRows[place], request)
            // SQLite sorts the rows of a plan that is not ordered.
            let sorting = request.order.isEmpty || plan.isOrdered ? 0 : plan.rows * (1 + log2(plan.rows))
            plan.fields = needed.union(order.fields)
            if plan.cost + sorting < bestCost { (best, bestCost) = (plan, plan.cost + sorting) }
        }
        guard var plan = best else { preconditionFailure("a table has the order of its key") }
        for (number, condition) in request.conditions.enumerated()
        where condition.isUsable && condition.operation == .equal
            && !plan.uses.contains(where: { $0.condition == number })
        {
            // SQLite checks it, so fewer rows are joined.
            plan.rows = max(1, plan.rows / 4)
        }
        plan.countsOnly = isAll && request.columns == 0 && request.conditions.isEmpty && request.order.isEmpty
        return plan
    }

    /// The row whose `_key` is given.
    private func keyPlan(_ request: PlanRequest) -> TablePlan? {
        let condition = request.conditions.firstIndex {
            columns[$0.column].content == .key && $0.operation == .equal && $0.isUsable
                && $0.collation == Self.byBytes
        }
        guard let condition else { return nil }
        var plan = TablePlan(order: orders[0], uses: [TablePlan.Use(condition: condition, role: .keyText)])
        plan.isKey = true
        plan.isUnique = hasIntegerKey || request.conditions[condition].isText
        plan.isOrdered = plan.isUnique
        plan.fields = fields(of: request.columns)
        (plan.cost, plan.rows) = (request.knowsRows ? Self.knownCost : Self.keyCost, 1)
        return plan
    }

    /// The cost of finding a row by its key, of finding one that is known already (``KnownRows``), and of each row of
    /// an index, which leads to each row separately. The unit is a row that follows another one.
    private static let keyCost = 10.0, knownCost = 1.5, indexCost = 3.0

    private func plan(along order: Order, valueRows: Double?, _ request: PlanRequest) -> TablePlan {
        var plan = TablePlan(order: order)
        var rows = max(request.tableRows, 2)
        // The columns with a bound, those of them with one value in the walk, and those that have it byte by byte.
        var bound: Set<Int> = [], fixed: Set<Int> = [], constant: Set<Int> = []
        for (number, part) in order.parts.enumerated() {
            // A part of the key may be part of the index as well, and a condition can bound only one of them.
            guard let place = columnsOfPositions[part.position], !bound.contains(place) else { break }
            if let use = equality(place, part, request) {
                plan.uses.append(use)
                bound.insert(place)
                let condition = request.conditions[use.condition]
                if condition.isText || condition.operation == .isNull || !columns[place].type.isText {
                    fixed.insert(place)
                    if condition.collation != Self.byLetters { constant.insert(place) }
                }
                rows = number == 0 ? min(rows, valueRows ?? rows / 100) : rows / 20
                continue
            }
            let bounds = range(place, part, request)
            plan.uses += bounds
            for _ in bounds { rows /= 4 }
            break
        }
        if order.index == nil, bound.count == order.ownCount, plan.uses.count == order.ownCount {
            plan.isKey = true
            plan.isUnique = fixed.count == order.ownCount
            plan.isOrdered = plan.isUnique
            (plan.cost, plan.rows) = (request.knowsRows ? Self.knownCost : Self.keyCost, 1)
            return plan
        }
        plan.rows = max(1, rows)
        plan.cost =
            log2(max(request.tableRows, 2)) + plan.rows * (order.index == nil ? 1 : Self.indexCost)
        sort(&plan, request, fixed, constant)
        return plan
    }

    /// A condition that gives a part its value.
    private func equality(_ place: Int, _ part: Index.Part, _ request: PlanRequest) -> TablePlan.Use? {
        let column = columns[place]
        for (number, condition) in request.conditions.enumerated()
        where condition.column == place && condition.isUsable {
            let isCompared = compares(condition, column, part, isEquality: true)
            switch condition.operation {
            case .equal where isCompared:
                return TablePlan.Use(condition: number, role: .equal(column, matchesNull: false))
            case .same where isCompared:
                return TablePlan.Use(condition: number, role: .equal(column, matchesNull: true))
            case .isNull: return TablePlan.Use(condition: number, role: .absent)
            default: continue
            }
        }
        return nil
    }

    /// Conditions that bound a part.
    private func range(_ place: Int, _ part: Index.Part, _ request: PlanRequest) -> [TablePlan.Use] {
        let column = columns[place]
        var lower: TablePlan.Use?, upper: TablePlan.Use?, present: TablePlan.Use?
        for (number, condition) in request.conditions.enumerated()
        where condition.column == place && condition.isUsable {
            func use(_ role: TablePlan.Role) -> TablePlan.Use {
                TablePlan.Use(condition: number, role: role)
            }
            let isCompared = compares(condition, column, part, isEquality: false)
            switch condition.operation {
            case .glob where column.type == .text && !part.isCaseFolded:
                return [use(.pattern(column, wildcards: "*?["))]
            case .like where column.type == .text && part.isCaseFolded:
                return [use(.pattern(column, wildcards: "%_"))]
            case .greater where isCompared: lower = lower ?? use(.lower(column, isInclusive: false))
            case .greaterOrEqual where isCompared: lower = lower ?? use(.lower(column, isInclusive: true))
            case .less where isCompared: upper = upper ?? use(.upper(column, isInclusive: false))
            case .lessOrEqual where isCompared: upper = upper ?? use(.upper(column, isInclusive: true))
            case .isNotNull: present = present ?? use(.present)
            default: continue
            }
        }
        if lower == nil { lower = present }
        return [lower, upper].compactMap(\.self)
    }

    /// Whether the rows that a comparison selects are together in the order of a part.
    private func compares(
        _ condition: PlanRequest.Condition, _ column: QueryColumn, _ part: Index.Part, isEquality: Bool
    ) -> Bool {
        switch column.type {
        case .integer, .boolean: true
        case .time: condition.collation == TimeText.collation
        case .real: false
        case .text, .json:
            // Texts with the same bytes are equal without regard to case as well.
            part.isCaseFolded
                ? condition.collation == Self.byLetters || isEquality && condition.collation == Self.byBytes
                : condition.collation == Self.byBytes
        }
    }

    private static let byBytes = "BINARY"
    private static let byLetters = "NOCASE"

    /// Finds out whether the walk has the order that the statement needs.
    private func sort(
        _ plan: inout TablePlan, _ request: PlanRequest, _ fixed: Set<Int>, _ constant: Set<Int>
    ) {
        var parts = plan.order.parts[...]
        var direction: Bool?
        for term in request.order where !constant.contains(term.column) {
            while let part = parts.first, let place = columnsOfPositions[part.position],
                fixed.contains(place)
            {
                parts.removeFirst()
            }
            // After the whole key, no two rows are left.
            guard let part = parts.popFirst() else { break }
            guard columnsOfPositions[part.position] == term.column, !part.isCaseFolded,
                direction ?? term.isDescending == term.isDescending
            else { return }
            direction = term.isDescending
        }
        plan.isDescending = direction ?? false
        plan.isOrdered = !request.order.isEmpty
    }

    private func log2(_ value: Double) -> Double { value < 2 ? 1 : Double(value.exponent) }
}
