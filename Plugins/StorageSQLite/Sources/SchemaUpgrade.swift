import PatchbayCore

/// Migrates a database to a schema, in one transaction.
///
/// An interrupted migration leaves the old state, and the next opening starts it again.
struct SchemaUpgrade {
    let options: ConnectionOptions
    let connection: Connection
    /// Nil keeps the stored schema.
    let schema: Schema?
    let progress: WorkProgress.Handler

    private var file: DatabaseFile { DatabaseFile(path: options.path) }

    /// The schema with all stored collections if the database needs no change; otherwise nil. Writes nothing.
    func schemaWithoutChange() throws -> Schema? {
        do {
            let stored = try stored()
            guard !stored.isEmpty, try connection.text("PRAGMA journal_mode") == "wal" else { return nil }
            guard let schema else {
                try stored.checkObjects()
                return stored.schema
            }
            guard try stored.changes(to: schema).isEmpty else { return nil }
            return schema.joined(with: stored.schema.collections)
        } catch let error as PatchbayError {
            throw error.adding([.file(file.path)])
        }
    }

    /// Migrates the database; writes nothing when the schema is already up to date.
    ///
    /// - Returns: the schema with all stored collections.
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
            // If another process changes the schema in between, the check under the lock in `apply` sees it.
            if try stored.isEmpty || !stored.changes(to: schema).isEmpty {
                try connection.withLargeCache { try apply(schema) }
            }
            return schema.joined(with: stored.schema.collections)
        } catch let error as PatchbayError {
            throw error.adding([.file(file.path)])
        }
    }

    private func stored() throws -> StoredSchema {
        let stored = try StoredSchema(connection, expecting: schema)
        if stored.isForeign { throw file.foreign }
        return stored
    }

    /// Marks an empty database as Patchbay's before it switches to a log, so that the mark is in the file itself.
    private func makeOurs(_ schema: Schema) throws {
        guard try stored().applicationID == 0 else { return }
        // Throws, before anything is written, when the schema cannot be stored.
        _ = try stored().changes(to: schema)
        try connection.execute("PRAGMA application_id = \(DatabaseFile.applicationID)")
    }

    /// Switches to the write-ahead log, which allows reads during a write.
    private func useLog() throws {
        guard try connection.text("PRAGMA journal_mode") != "wal" else { return }
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw PatchbayError(
                .unsupported,
                "the file system does not support SQLite's write-ahead log; set a path on a local disk"
            )
        }
    }

    private func apply(_ schema: Schema) throws {
        try connection.execute("BEGIN IMMEDIATE")
        var copy: DatabaseFile?
        do {
            // The lock keeps other writers out, so the copy has the state that is about to be changed.
            let stored = try stored()
            copy = try copyBefore(stored, schema)
            let changes = try stored.changes(to: schema)
            if stored.isEmpty { try connection.execute(StoredSchema.createTable) }
            for change in changes {
                try connection.reporting(progress, of: change.task) {
                    for statement in change.statements { try connection.execute(statement) }
                }
            }
            try connection.execute("COMMIT")
        } catch {
            // SQLite ends the transaction itself when the disk is full.
            if connection.isInTransaction { try connection.execute("ROLLBACK") }
            copy?.remove()
            throw error
        }
    }

    /// Copies a database of an older version to `NAME.before-schema-N`, so that the older version can still be used.
    ///
    /// An existing copy is left over from an interrupted migration; it is replaced, because the database still has the
    /// older version.
    private func copyBefore(_ stored: StoredSchema, _ schema: Schema) throws -> DatabaseFile? {
        guard !stored.isEmpty, stored.schema.version < schema.version else { return nil }
        let path = "\(options.path).before-schema-\(schema.version)"
        try DatabaseCopy(source: options, path: path, replaces: true).run(progress)
        return DatabaseFile(path: path)
    }
}
