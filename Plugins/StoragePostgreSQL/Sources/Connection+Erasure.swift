import PatchbayCore

extension Connection {
    /// Removes the storage from its database: its tables, and the schema if it contains nothing else.
    func eraseStore() throws {
        guard try StoredSchema.names(self).contains(StoreTables.store) else { return }
        let names = try query("SELECT name FROM \(options.qualified(StoreTables.schema))")
        let tables =
            (0..<names.rowCount).map { names.text($0, 0) } + [
                StoreTables.schema, StoreTables.commits, StoreTables.store,
            ]
        // In one statement, so that either all tables are removed or none.
        try query("DROP TABLE " + tables.map(options.qualified).joined(separator: ", "))
        do throws(ServerError) {
            try query("DROP SCHEMA \(options.schema.quotedForSQL)")
        } catch {
            // The schema stays when it contains other objects or belongs to another user.
            guard ["2BP01", "42501"].contains(error.state) else { throw error }
        }
    }
}
