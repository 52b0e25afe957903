import PatchbayCore

/// Removes a storage from its database: its own tables, and the schema when they were all that was in it.
struct StoreErasure {
    private let connection: Connection
    private var options: ConnectionOptions { connection.options }

    init(_ connection: Connection) { self.connection = connection }

    func run() throws {
        guard try StoredSchema.names(connection).contains(StoreTables.store) else { return }
        let names = try connection.query("SELECT name FROM \(options.qualified(StoreTables.schema))")
        let tables =
            (0..<names.rowCount).map { names.text($0, 0) } + [
                StoreTables.schema, StoreTables.commits, StoreTables.store,
            ]
        // In one statement, so that it is gone as a whole or not at all.
        try connection.query("DROP TABLE " + tables.map(options.qualified).joined(separator: ", "))
        do throws(ServerError) {
            try connection.query("DROP SCHEMA \(options.schema.quotedForSQL)")
        } catch {
            // When something else is in it, or it is another user's, it stays.
            guard ["2BP01", "42501"].contains(error.state) else { throw error }
        }
    }
}
