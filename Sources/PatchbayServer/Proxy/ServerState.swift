import PatchbayCore

/// The stored state of a server besides its answers: the secret of digests and the counter of clearings.
struct ServerState: StoredRecord {
    static let secretName = "digest_secret"
    static let clearingsName = "clearings"

    let name: String
    var value: [UInt8]

    static let name = RowColumn<String>(0, "name")
    static let value = RowColumn<[UInt8]>(1, "value")

    static let collection = CollectionSchema(
        "server_state", key: name.position, fields: [name.field, value.field])

    init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    init(_ row: borrowing RowView) { self.init(name: row[Self.name], value: row[Self.value]) }

    func write(to row: inout RowBuilder) {
        row[Self.name] = name
        row[Self.value] = value
    }
}
