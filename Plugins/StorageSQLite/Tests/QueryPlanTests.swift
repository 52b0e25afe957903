import PatchbayCore
import Testing

@testable import StorageSQLite

@Suite("every walk uses its index")
struct QueryPlanTests {
    @Test(
        "no walk sorts, and no walk with bounds scans the whole index",
        arguments: TestCollections.schema.collections.map(\.name))
    func plans(name: String) async throws {
        let collection = TestCollections.schema.collections.first { $0.name == name }!
        let folder = try TestFolder()
        try await folder.storage().close()
        let connection = try Connection(path: folder.database, busyTimeoutMilliseconds: 0)
        for shape in shapes(collection) {
            let sql = collection.statement(shape)
            let plan = try connection.plan(sql)
            #expect(!plan.contains("TEMP B-TREE"), "\(sql): \(plan)")
            let isBounded = shape.equalCount > 0 || shape.lower != .none || shape.upper != .none
            #expect(plan.contains(isBounded ? "SEARCH" : "SCAN"), "\(sql): \(plan)")
            if let index = shape.index {
                #expect(
                    plan.contains("\(collection.name)_\(collection.indexes[index].name)"), "\(sql): \(plan)")
            }
        }
    }

    private func shapes(_ collection: CollectionSchema) -> [StatementShape] {
        var shapes: [StatementShape] = []
        for index in [nil] + collection.indexes.indices.map({ $0 }) {
            let own = index.map { collection.indexes[$0].parts } ?? []
            let count = own.count + collection.primaryKey.parts.count
            for equalCount in 0...count {
                for limits in limits(hasNext: equalCount < count) {
                    for isDescending in [false, true] {
                        let segment = Segment(
                            equal: Array(repeating: .integer(0), count: equalCount), lower: limits.0,
                            upper: limits.1)
                        shapes.append(
                            StatementShape(
                                .rows, segment, index: index, isDescending: isDescending,
                                fields: collection.allFields))
                    }
                }
            }
        }
        return shapes
    }

    private func limits(hasNext: Bool) -> [(Segment.Limit?, Segment.Limit?)] {
        let limit = Segment.Limit(value: .integer(0), isInclusive: true)
        return hasNext ? [(nil, nil), (limit, nil), (nil, limit), (limit, limit)] : [(nil, nil)]
    }
}

extension Connection {
    fileprivate func plan(_ sql: String) throws -> String {
        let statement = try prepare("EXPLAIN QUERY PLAN " + sql)
        var lines: [String] = []
        while try statement.step() { lines.append(statement.text(3)) }
        return lines.joined(separator: "; ")
    }
}
