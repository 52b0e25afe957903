package import PatchbayCore

/// Records that a gateway is requesting certain rows, for other gateways that share the storage.
package struct StoredLease: Hashable, Sendable {
    /// What is being requested, and from which source.
    package var name: String
    /// The process that requests it, as described by `ProcessName`.
    package var holder: String
    /// Distinguishes this lease from any other of the same name.
    package var token: String
    /// Increases while the request is under way. A beat that stays the same for long belongs to a holder that has
    /// ended.
    package var beat: Int64

    package init(name: String, holder: String, token: String, beat: Int64 = 0) {
        self.name = name
        self.holder = holder
        self.token = token
        self.beat = beat
    }

    /// The key of the lease of a name; the name itself may be longer than a key.
    package static func key(of name: String) -> Key { .text(TextDigest(of: name).description) }
}

extension StoredLease: StoredRecord {
    static let digest = RowColumn<String>(0, "name_digest")
    static let name = RowColumn<String>(1, "name")
    static let holder = RowColumn<String>(2, "holder")
    static let token = RowColumn<String>(3, "token")
    static let beat = RowColumn<Int64>(4, "beat")

    package static let collection = CollectionSchema(
        "leases", key: digest.position,
        fields: [digest.field, name.field, holder.field, token.field, beat.field])

    package init(_ row: borrowing RowView) {
        self.init(
            name: row[Self.name], holder: row[Self.holder], token: row[Self.token], beat: row[Self.beat])
    }

    package func write(to row: inout RowBuilder) {
        row[Self.digest] = TextDigest(of: name).description
        row[Self.name] = name
        row[Self.holder] = holder
        row[Self.token] = token
        row[Self.beat] = beat
    }
}
