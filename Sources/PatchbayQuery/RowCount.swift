import PatchbayCore
import PatchbayDomain

/// What is counted once for the plans of a statement.
struct RowCount: Hashable {
    let collection: String
    /// The place of an order, whose rows with the same first value are counted; nil for all rows.
    var order: Int?
}

extension SQLConnection {
    /// The number of rows of a table, or a million if there are many.
    func roughCount(of table: QueryTable) throws -> Double {
        let collection = table.resource.collection
        return try counted(RowCount(collection: collection.name)) {
            let limit = 10_000
            let count = try reading.reader.count(Query(collection, limit: limit))
            return count < limit ? Double(count) : 1_000_000
        }
    }

    /// How many rows have the same value in the first part of an order: the mean of its first and its last value.
    func roughCount(ofValueIn place: Int, of table: QueryTable) throws -> Double {
        let collection = table.resource.collection, order = table.orders[place]
        return try counted(RowCount(collection: collection.name, order: place)) {
            let isOptional = collection.fields[order.parts[0].position].isOptional
            // Most nulls are those of rows without the field, and no comparison selects them.
            let values: Bounds = isOptional ? .between(.excluding(.compound([.null])), nil) : .all
            var count = 0.0
            for direction in [Query.Order.ascending, .descending] {
                var query = Query(collection, by: order.index, values, order: direction, limit: 1)
                var value: Key?
                try reading.reader.scan(query) { row in
                    value = collection.key(of: row, in: query.index).values[0]
                    return .stop
                }
                guard let value else { return 1 }
                query.bounds = .equal(.compound([value]))
                query.limit = 10_000
                count += Double(try reading.reader.count(query)) / 2
            }
            return count
        }
    }

    /// The answer of the prepared statement if it is only the number of a table's rows, which the storage knows; nil
    /// for any other statement. SQLite would step through a table with that number of empty rows.
    func countedRow(_ sql: String) throws -> SQLRow? {
        guard let table = plans.first?.table, plans.allSatisfy(\.plan.countsOnly),
            StatementWords(sql).isOnlyCount
        else { return nil }
        let collection = table.resource.collection
        let count = reading.lacks(collection.name) ? 0 : try reading.reader.count(Query(collection))
        return SQLRow(values: [.integer(Int64(count))])
    }

    private func counted(_ what: RowCount, _ count: () throws -> Double) throws -> Double {
        if let known = counts[what] { return known }
        let count = reading.lacks(what.collection) ? 0 : try count()
        counts[what] = count
        return count
    }
}

extension QueryTable {
    /// Whether another table, or a parameter, gives the first part of an order its value, so that the number of rows
    /// with the same value matters.
    func joins(by place: Int, _ request: PlanRequest) -> Bool {
        let order = orders[place]
        if order.index == nil, order.ownCount == 1 { return false }
        guard let column = columnsOfPositions[order.parts[0].position] else { return false }
        return request.conditions.contains {
            $0.column == column && $0.isUsable && !$0.isConstant && [.equal, .same].contains($0.operation)
        }
    }
}
