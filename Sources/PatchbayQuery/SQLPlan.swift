import CSQLite
import PatchbayCore
import PatchbayDomain

/// How a statement would be carried out.
public struct SQLPlan: Sendable {
    /// A step, or a part of one.
    public struct Step: Sendable {
        /// The number of steps around it.
        public let depth: Int
        /// What is done, for people.
        public let text: String
    }

    /// In the order in which SQLite reports them.
    public let steps: [Step]
}

extension SQLTables {
    /// Describes how a statement would be carried out: the index by which each table is read, or that all its rows are.
    ///
    /// - Throws: the errors of ``query(_:_:limits:)``.
    public func explain(
        _ sql: String, _ parameters: [String: SQLValue] = [:], limits: SQLLimits = SQLLimits()
    ) async throws -> SQLPlan {
        try await reading(sql, limits) { connection, reading in
            // Refuses whatever a query refuses.
            do {
                let statement = try PreparedStatement(sql, connection)
                try statement.bind(parameters)
            }
            let statement = try PreparedStatement("EXPLAIN QUERY PLAN " + sql, connection)
            var depths: [SQLValue: Int] = [:], steps: [SQLPlan.Step] = []
            while try statement.step() {
                let row = statement.row()
                let depth = depths[row[1]].map { $0 + 1 } ?? 0
                depths[row[0]] = depth
                guard case .text(let detail) = row[3] else { continue }
                let words = try connection.words(detail) { try reading.count(Query($0.resource.collection)) }
                steps.append(SQLPlan.Step(depth: depth, text: words))
            }
            return SQLPlan(steps: steps)
        }
    }
}

extension SQLConnection {
    /// A step in words, in which the number of a plan is replaced by the plan.
    fileprivate func words(_ detail: String, _ count: (QueryTable) throws -> Int) rethrows -> String {
        let mark = " VIRTUAL TABLE INDEX "
        guard let range = detail.firstRange(of: mark) else { return detail }
        let name = detail[..<range.lowerBound].split(separator: " ").last.map(String.init) ?? ""
        if FindTable.isPlan(detail[range.upperBound...]) {
            return "\(name): ranked rows by the index of words"
        }
        guard let number = Int(detail[range.upperBound...].prefix { $0.isNumber }),
            plans.indices.contains(number)
        else { return detail }
        let (table, plan) = plans[number]
        return "\(name): " + (try plan.words(of: table, count))
    }
}

extension TablePlan {
    /// The plan for people.
    fileprivate func words(of table: QueryTable, _ count: (QueryTable) throws -> Int) rethrows -> String {
        if countsOnly { return "counts the rows without reading them" }
        let names = uses.map(\.role.words)
        if isKey { return "one row by its key (\(names.joined(separator: ", ")))" }
        let sorted = isOrdered ? ", in the order that is needed" : ""
        if !uses.isEmpty {
            let place = order.index.map { "the index \($0.name)" } ?? "the key"
            return "rows by \(place) (\(names.joined(separator: ", ")))\(sorted)"
        }
        let rows = table.resource.counted(try count(table))
        return order.index == nil || !isOrdered
            ? "reads all \(rows)\(sorted)" : "reads all \(rows) along the index \(order.index!.name)\(sorted)"
    }
}

extension TablePlan.Role {
    fileprivate var words: String {
        switch self {
        case .equal(let column, _): "\(column.name) ="
        case .absent: "is null"
        case .lower(let column, let isInclusive): "\(column.name) \(isInclusive ? ">=" : ">")"
        case .upper(let column, let isInclusive): "\(column.name) \(isInclusive ? "<=" : "<")"
        case .pattern(let column, _): "\(column.name) begins with"
        case .present: "is not null"
        case .keyText: "_key ="
        }
    }
}
