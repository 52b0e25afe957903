import PatchbayCore

/// Removes a storage from its database: its tables, and the schema if it contains nothing else.
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
        // In one statement, so that either all tables are removed or none.
        try connection.query("DROP TABLE " + tables.map(options.qualified).joined(separator: ", "))
        do throws(ServerError) {
            try connection.query("DROP SCHEMA \(options.schema.quotedForSQL)")
        } catch {
            // The schema stays when it contains other objects or belongs to another user.
            guard ["2BP01", "42501"].contains(error.state) else { throw error }
        }
    }
}
