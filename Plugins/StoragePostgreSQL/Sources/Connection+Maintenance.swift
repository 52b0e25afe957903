import PatchbayCore

extension Connection {
    /// Throws `permissionDenied` when the server would skip the table with a warning instead of vacuuming it.
    func checkMayVacuum(_ table: String) throws {
        let right =
            serverVersion >= 170_000
            ? "has_table_privilege(pg_class.oid, 'MAINTAIN')"
            : "pg_has_role(relowner, 'USAGE') OR pg_has_role(datdba, 'USAGE')"
        let answer = try query(
            """
            SELECT \(right) FROM pg_catalog.pg_class, pg_catalog.pg_database
            WHERE pg_class.oid = to_regclass($1) AND datname = current_database()
            """, with: table)
        if answer.rowCount == 1, !answer.boolean(0, 0) {
            throw PatchbayError(
                .permissionDenied, "the user may not vacuum the table \(table); its owner may",
                [.server(server)])
        }
    }

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

/// The times that statements may take.
extension Connection {
    /// Allows the following statements of the transaction to take long, because they read or write whole tables.
    func sendLongLimits() throws(ServerError) {
        try sendLimits(isLong: true, isLocal: true)
    }

    /// Ends the effect of ``sendLongLimits()`` on this side; on the server, the end of the transaction does.
    func endLongLimits() { isLong = false }

    /// Runs statements outside a transaction that may take long.
    func takingLong<Result>(_ body: () throws -> Result) throws -> Result {
        isLong = true
        defer { isLong = false }
        // A pooler may give the next statement another session.
        guard isDirect else { return try body() }
        try sendLimits(isLong: true, isLocal: false)
        // VACUUM must be alone in its transaction.
        _ = try finish()
        defer {
            // If the connection is lost here, its next use finds out.
            try? sendLimits(isLong: false, isLocal: false)
            _ = try? finish()
        }
        return try body()
    }

    private func sendLimits(isLong: Bool, isLocal: Bool) throws(ServerError) {
        self.isLong = isLong
        let limit = options.statementTimeoutMilliseconds(isLong: isLong)
        try send(
            Statement(
                "SELECT set_config('statement_timeout', '\(limit)', $1)", [ServerType.boolean], isKept: false),
            Arguments(isLocal))
    }
}
