package import PatchbayCore

/// Records that a gateway is requesting certain rows, for other gateways that share the storage.
package struct StoredLease: Hashable, Sendable {
    /// What is being requested, and from which source.
    package var name = ""
    /// The process that requests it, as described by `ProcessName`.
    package var holder = ""
    /// Distinguishes this lease from any other of the same name.
    package var token = ""
    /// Increases while the request is under way. A beat that stays the same for long belongs to a holder that has
    /// ended.
    package var beat: Int64 = 0

    package init() {}

    package init(name: String, holder: String, token: String) {
        self.name = name
        self.holder = holder
        self.token = token
    }

    /// The key of the lease of a name; the name itself may be longer than a key.
    package static func key(of name: String) -> Key { .text(TextDigest(of: name).description) }

    private var nameDigest: String { TextDigest(of: name).description }
}

extension StoredLease: ColumnRecord {
    static let digest = RecordColumn(0, "name_digest", derived: \Self.nameDigest)
    static let name = RecordColumn(1, "name", \Self.name)
    static let holder = RecordColumn(2, "holder", \Self.holder)
    static let token = RecordColumn(3, "token", \Self.token)
    static let beat = RecordColumn(4, "beat", \Self.beat)

    package static let columns = [digest, name, holder, token, beat]

    package static let collection = CollectionSchema("leases", key: digest.position, fields: fields)
}
