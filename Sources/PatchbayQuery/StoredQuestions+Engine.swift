import PatchbayCore
import PatchbayDomain
public import PatchbayGateway
import Synchronization

extension StoredQuestions {
    /// Answers questions about the stored rows of several sources.
    public init(_ gateways: Gateways) { self.init(gateways.all) }

    /// Answers questions about the stored rows of gateways. Those with several storages have no answers.
    package init(_ gateways: [Gateway]) {
        let index = LaterTextIndex(gateways.first?.store) { try await TextIndex(gateways) }
        self.init(Result { try SQLTables(gateways) }, index) { StoredQuestions(views: $0, of: gateways) }
    }

    private init(views: [Resource], of gateways: [Gateway]) {
        let tables = Result {
            let first = try gateways.first(ofOneStorageFor: "a query")
            return SQLTables(views, first.store, now: first.clock.now)
        }
        let index = LaterTextIndex(gateways.first?.store) {
            let store = try gateways.first(ofOneStorageFor: "a search").store
            return try await TextIndex(views, store, areViews: true)
        }
        self.init(tables, index) { StoredQuestions(views: $0, of: gateways) }
    }

    private init(
        _ tables: Result<SQLTables, any Error>, _ index: LaterTextIndex,
        restricted: @escaping @Sendable ([Resource]) -> StoredQuestions
    ) {
        self.init(
            answer: { try await tables.get().answer($0) },
            find: { text, resources, limit in
                try await index.get().find(text, in: resources, limit: limit)
            },
            follow: { await index.follow() }, restricted: restricted)
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

/// A text index that is made when it is first needed.
private final class LaterTextIndex: Sendable {
    private let store: Store?
    private let make: @Sendable () async throws -> TextIndex
    private let making = Mutex<Task<TextIndex, any Error>?>(nil)
    /// The time between a commit and the update, so that the commits of a sync are read together.
    private static let pause = Duration.seconds(1)

    init(_ store: Store?, make: @escaping @Sendable () async throws -> TextIndex) {
        self.store = store
        self.make = make
    }

    func get() async throws -> TextIndex {
        let task = making.withLock { making in
            if let making { return making }
            let task = Task { [make] in try await make() }
            making = task
            return task
        }
        do {
            return try await task.value
        } catch {
            making.withLock { $0 = nil }
            throw error
        }
    }

    /// Updates an index that exists after commits, until the task is cancelled.
    func follow() async {
        // Several storages have no index.
        guard let store, let index = try? await get() else { return }
        for await collections in store.changes.stream() {
            guard index.exists, index.resources.contains(where: { collections.contains($0.collection.name) })
            else { continue }
            do { try await Task.sleep(for: Self.pause) } catch { return }
            // The next search reports an index that cannot be updated.
            try? await index.update()
        }
    }
}
