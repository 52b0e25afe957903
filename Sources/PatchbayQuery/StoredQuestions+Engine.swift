import PatchbayCore
import PatchbayDomain
public import PatchbayGateway

extension StoredQuestions {
    /// Answers questions about the stored rows of several sources.
    public init(_ gateways: Gateways) { self.init(gateways.all) }

    /// Answers questions about the stored rows of gateways. Those with several storages have no answers.
    package init(_ gateways: [Gateway]) {
        self.init(gateways.flatMap(\.resources), LaterTextIndex(gateways), of: gateways)
    }

    private init(_ resources: [Resource], _ index: LaterTextIndex, of gateways: [Gateway]) {
        let tables = Result {
            let first = try gateways.first(ofOneStorageFor: "a query")
            return SQLTables(
                resources, among: gateways, first.store, index, now: first.clock.now)
        }
        self.init(
            answer: { try await tables.get().answer($0) },
            find: { text, resources, limit in
                try await index.get().find(text, in: resources, limit: limit)
            },
            follow: { await index.follow() },
            restricted: { views in
                let index = LaterTextIndex(gateways.first?.store) {
                    let store = try gateways.first(ofOneStorageFor: "a search").store
                    return try await TextIndex(views, among: gateways, store)
                }
                return StoredQuestions(views, index, of: gateways)
            })
    }
}

extension SQLTables {
    fileprivate func answer(_ statement: StoredQuestions.Statement) async throws -> StoredQuestions.Rows {
        var limits = SQLLimits()
        limits.rows = statement.rows
        limits.bytes = statement.bytes
        limits.time = statement.time ?? limits.time
        let typed = statement.typed.mapValues { SQLValue(typed: $0) }
        let values = typed.merging(statement.values.mapValues { SQLValue($0) }) { $1 }
        let rows = try await query(statement.sql, values, limits: limits)
        return StoredQuestions.Rows(
            columns: rows.columns, rows: rows.map { row in row.values.map { OutputValue($0) } }
        ) { [limits] in
            rows.ending.map { ending in
                StoredQuestions.Ending(
                    reason: limits.reason(ending),
                    tables: ending.tables.map { table in
                        StoredQuestions.Table(
                            name: table.name, resource: table.resource, listsSynced: table.listsSynced,
                            listsPartial: table.listsPartial,
                            oldestSync: table.oldestSync, newestSync: table.newestSync)
                    })
            }
        }
    }
}

extension SQLValue {
    fileprivate init(_ value: OutputValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .bool(let isTrue): .integer(isTrue ? 1 : 0)
            case .text(let text), .json(let text): .text(text)
            case .list(let texts): .text(texts.joined(separator: " "))
            }
    }
}
