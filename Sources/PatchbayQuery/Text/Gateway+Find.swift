public import PatchbayDomain
public import PatchbayGateway

extension Gateway {
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
    /// Finds the stored rows of all sources whose texts have some words, as `Gateway.find(_:in:limit:)` does.
    public func find(
        _ text: String, in resources: [Resource]? = nil, limit: Int = 20
    ) async throws -> FoundRows {
        try await TextIndex(self).find(text, in: resources, limit: limit)
    }
}
