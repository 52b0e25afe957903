package import PatchbayCore

/// The newest turns under a pace, which processes that share a storage take together.
package struct StoredPace: Hashable, Sendable {
    let name: Name
    var turns: PaceTurns
    /// The time after which the turns no longer limit requests.
    var endsAt: Timestamp

    /// The name of a pace: each token has its own at each origin.
    struct Name: Hashable, Sendable {
        /// Scheme, host and port.
        let origin: String
        /// The `TokenFingerprint`; empty without a token.
        let token: String
        /// The limit, such as `60 in 3600 s of /users`.
        let limit: String

        var key: Key { [.text(origin), .text(token), .text(limit)] }
    }
}

extension StoredPace: StoredRecord {
    static let origin = RowColumn<String>(0, "origin")
    static let token = RowColumn<String>(1, "token")
    static let limit = RowColumn<String>(2, "pace")
    static let turns = RowColumn<String>(3, "turns")
    static let endsAt = RowColumn<Timestamp>(4, "ends_at_ms")

    /// The columns in a storage; the key is origin, token and pace.
    package static let collection = CollectionSchema(
        "request_paces", key: origin.position, token.position, limit.position,
        fields: [origin.field, token.field, limit.field, turns.field, endsAt.field])

    /// Reads a stored pace.
    package init(_ row: borrowing RowView) {
        name = Name(origin: row[Self.origin], token: row[Self.token], limit: row[Self.limit])
        turns = PaceTurns(row[Self.turns])
        endsAt = row[Self.endsAt]
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        row[Self.origin] = name.origin
        row[Self.token] = name.token
        row[Self.limit] = name.limit
        row[Self.turns] = turns.text
        row[Self.endsAt] = endsAt
    }
}
