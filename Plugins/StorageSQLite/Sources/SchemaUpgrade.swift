import PatchbayCore

/// Brings a database to a schema, in one transaction.
///
/// Ended in the middle it leaves the old state, and the next one begins again.
struct SchemaUpgrade {
    let options: ConnectionOptions
    let connection: Connection
    /// Nil takes what is stored.
    let schema: Schema?
    let progress: WorkProgress.Handler

    private var file: DatabaseFile { DatabaseFile(path: options.path) }

    /// Writes nothing when the schema is there already.
    ///
    /// - Returns: everything that is stored then.
    func run() throws -> Schema {
        do {
            let stored = try stored()
            guard let schema else {
                try stored.checkObjects()
                try useLog()
                return stored.schema
            }
            if stored.isEmpty { try makeOurs(schema) }
            try useLog()
            // What another process changes in between is seen the second time, under the lock.
            if try !stored.changes(to: schema).isEmpty {
                try connection.withLargeCache { try apply(schema) }
            }
            return schema.joined(with: stored.collections)
        } catch let error as PatchbayError {
            throw error.adding(["file": file.path])
        }
    }

    private func stored() throws -> StoredSchema {
        let stored = try StoredSchema(connection)
        if stored.isForeign { throw file.foreign }
        return stored
    }

    /// Marks an empty database, before anything of it may stand in the log alone.
    private func makeOurs(_ schema: Schema) throws {
        guard try stored().applicationID == 0 else { return }
        // Throws before anything is written when the schema cannot be kept.
        _ = try stored().changes(to: schema)
        try connection.execute("PRAGMA application_id = \(DatabaseFile.applicationID)")
    }

    /// Switches to the write-ahead log, which lets reads go on beside a write.
    private func useLog() throws {
        guard try connection.text("PRAGMA journal_mode") != "wal" else { return }
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw PatchbayError(
                .unsupported, "the file system keeps no write-ahead log of SQLite; set a path on a local disk"
            )
        }
    }

    private func apply(_ schema: Schema) throws {
        try connection.execute("BEGIN IMMEDIATE")
        var copy: DatabaseFile?
        do {
            // Nobody else writes meanwhile, so what is copied is what is changed.
            let stored = try stored()
            copy = try copyBefore(stored, schema)
            for change in try stored.changes(to: schema) {
                try connection.telling(progress, of: change.task) { try connection.execute(change.sql) }
            }
            try connection.execute("COMMIT")
        } catch {
            // Ends by itself when the disk is full.
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            copy?.remove()
            throw error
        }
    }

    /// Copies a database of an older version, for people who want to go back: `NAME.before-schema-N`.
    ///
    /// A copy under the name is one of a migration that did not finish: the older version is still here.
    private func copyBefore(_ stored: StoredSchema, _ schema: Schema) throws -> DatabaseFile? {
        guard !stored.isEmpty, stored.version < schema.version else { return nil }
        let path = "\(options.path).before-schema-\(schema.version)"
        try DatabaseCopy(source: options, path: path, replaces: true).run(progress)
        return DatabaseFile(path: path)
    }
}
