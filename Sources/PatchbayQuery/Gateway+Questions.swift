import PatchbayCore
public import PatchbayDomain
public import PatchbayGateway

extension Gateway {
    /// Runs a SELECT over the stored rows of the source, whichever the storage.
    ///
    ///     let rows = try await gateway.query(
    ///         "SELECT login, followers FROM users WHERE followers > :least", ["least": 100])
    ///     for try await row in rows { print(row[0], row[1]) }
    ///
    /// Each resource is a table. A program that asks often keeps ``SQLTables``.
    ///
    /// - Parameters:
    ///   - sql: a SELECT in SQLite's dialect.
    ///   - parameters: the values of `:name` in the statement.
    /// - Throws: `invalidValue` for a statement that is not valid or would do more than read, and the errors of the
    ///   storage.
    public func query(
        _ sql: String, _ parameters: [String: SQLValue] = [:], limits: SQLLimits = SQLLimits()
    ) async throws -> SQLRows {
        try await SQLTables([self]).query(sql, parameters, limits: limits)
    }

    /// Finds the stored rows whose texts have some words, ranked, whichever the storage.
    ///
    ///     let found = try await gateway.find("crash \"data race\" -windows")
    ///     for row in found.rows { print(row.item.title, row.excerpt.text) }
    ///
    /// No request is sent. The texts are those of the fields that definitions name (`NAME.find`), with local edits. A
    /// program that searches often keeps a ``TextIndex``.
    ///
    /// - Parameters:
    ///   - text: words that must all occur, `"phrases"`, `beginnings*`, and `-words` that must not occur.
    ///   - resources: where to search; by default in all resources with texts.
    ///   - limit: the maximum number of rows.
    /// - Throws: `invalidValue` for a text without words, `unsupported` for a resource without texts, and the errors of
    ///   the storage and of the index.
    public func find(
        _ text: String, in resources: [Resource]? = nil, limit: Int = 20
    ) async throws -> FoundRows {
        try await TextIndex([self]).find(text, in: resources, limit: limit)
    }
}

extension Gateways {
    /// Runs a SELECT over the stored rows of all sources, as `Gateway.query(_:_:limits:)` does.
    public func query(
        _ sql: String, _ parameters: [String: SQLValue] = [:], limits: SQLLimits = SQLLimits()
    ) async throws -> SQLRows {
        try await SQLTables(self).query(sql, parameters, limits: limits)
    }

    /// Finds the stored rows of all sources whose texts have some words, as `Gateway.find(_:in:limit:)` does.
    public func find(
        _ text: String, in resources: [Resource]? = nil, limit: Int = 20
    ) async throws -> FoundRows {
        try await TextIndex(self).find(text, in: resources, limit: limit)
    }
}

extension [Gateway] {
    /// The first gateway of those that share a storage.
    ///
    /// - Parameter reading: what reads the storage, for the error: `a query`.
    /// - Throws: `unsupported` for gateways with different storages, or none.
    func first(ofOneStorageFor reading: String) throws -> Gateway {
        guard let first, allSatisfy({ $0.store === first.store }) else {
            throw PatchbayError(.unsupported, "\(reading) reads one storage; these sources have several")
        }
        return first
    }
}
