import PatchbayCore

/// Opens a storage with as much access as requested and as the server and the user's rights permit.
struct StoreOpening {
    /// The opened storage. With a refusal, it can only be read, for the reason given.
    struct Result {
        let store: OpenedStore
        let refusal: PatchbayError?
    }

    let connection: Connection
    let opening: StorageOpening
    private var options: ConnectionOptions { connection.options }

    func run() throws -> Result {
        if let stored = try StoredSchema(connection, expecting: opening.schema) { return try open(stored) }
        guard opening.access == .creating, let schema = opening.schema else {
            throw options.nothingStored
        }
        do {
            try create(schema)
        } catch let error as ServerError where error.isTaken {
            // If another process was faster, its storage is opened.
            guard try StoredSchema(connection) != nil else { throw nameIsTaken(error) }
        }
        guard let stored = try StoredSchema(connection) else { throw options.nothingStored }
        return try open(stored)
    }

    private func open(_ stored: StoredSchema) throws -> Result {
        if opening.access == .reading {
            return try openForReading(stored, StoragePlace.openForReading(options.place))
        }
        if let refusal = try writeRefusal() { return try openForReading(stored, refusal) }
        guard let schema = opening.schema else {
            try stored.checkObjects()
            return opened(stored, stored.schema, nil)
        }
        // If another process changes the schema in between, the check under the lock in `migrate` sees it.
        if try !stored.changes(to: schema).isEmpty { try migrate(to: schema) }
        return opened(stored, schema.joined(with: stored.schema.collections), nil)
    }

    private func openForReading(_ stored: StoredSchema, _ refusal: PatchbayError) throws -> Result {
        try stored.checkObjects()
        try opening.schema?.checkReads(stored.schema)
        let schema = opening.schema?.joined(with: stored.schema.collections) ?? stored.schema
        return opened(stored, schema, refusal)
    }

    private func opened(_ stored: StoredSchema, _ schema: Schema, _ refusal: PatchbayError?) -> Result {
        let store = OpenedStore(schema: schema, identity: stored.row.identity, server: connection.server)
        return Result(store: store, refusal: refusal)
    }

    /// Returns why the storage cannot be written: the server is a standby or read-only, or the user lacks the right.
    private func writeRefusal() throws -> PatchbayError? {
        let answer = try connection.query(
            """
            SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
                has_table_privilege($1, 'UPDATE')
            """, with: options.qualified(StoreTables.store))
        let reason: String? =
            if answer.boolean(0, 0) {
                "the server is a standby, which accepts no writes; \(ServerError.wayToPrimary)"
            } else if answer.boolean(0, 1) {
                "the server accepts no writes; turn off default_transaction_read_only for the user or the database"
            } else if !answer.boolean(0, 2) {
                "the user may read the storage but not write it; grant the rights, or use another user"
            } else {
                nil
            }
        return reason.map {
            PatchbayError(
                .permissionDenied, $0, [.note("schema", options.schema), .server(connection.server)])
        }
    }

    // MARK: Changes

    /// Creates the storage, unless another process has just created it.
    private func create(_ schema: Schema) throws {
        let names = try StoredSchema.names(connection)
        if names.contains(StoreTables.store) { return }
        try StoredSchema.checkNames(schema, known: [], taken: names)
        let space = try hasSchema() ? [] : ["CREATE SCHEMA \(options.schema.quotedForSQL)"]
        try transaction {
            for statement in space + StoreTables.create(options, version: schema.version) {
                try connection.query(statement)
            }
            try apply(schema.collections.map { .create($0) })
        }
    }

    private func hasSchema() throws -> Bool {
        try connection.query(
            "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1", with: options.schema
        ).rowCount > 0
    }

    private func migrate(to schema: Schema) throws {
        let store = options.qualified(StoreTables.store)
        try transaction {
            try connection.query("SELECT 1 FROM \(store) FOR UPDATE")
            guard let stored = try StoredSchema(connection) else {
                throw options.nothingStored
            }
            let changes = try stored.changes(to: schema)
            try apply(changes)
            // Makes observers read again.
            try connection.query(
                "UPDATE \(store) SET revision = \(StoreTables.next(after: "revision", options))")
            try checkUnique(changes)
        }
    }

    private func transaction(_ body: () throws -> Void) throws {
        try connection.query("BEGIN")
        do {
            try connection.sendSettingsOfTransaction()
            // An index of a large table takes long to build.
            try connection.sendLongLimits()
            defer { connection.endLongLimits() }
            try body()
            try connection.query("COMMIT")
        } catch {
            // The first error is the one to report, and a lost connection has rolled back anyway.
            _ = try? connection.query("ROLLBACK")
            throw error
        }
    }

    private func apply(_ changes: [SchemaChange]) throws {
        for (number, change) in changes.enumerated() {
            opening.progress(WorkProgress(change.task, done: number, of: changes.count))
            for statement in change.statements(options) { try connection.query(statement) }
        }
    }

    /// Throws `conflict` when stored rows violate a unique index that was added.
    private func checkUnique(_ changes: [SchemaChange]) throws {
        for case .buildIndex(let index, let collection) in changes where index.isUnique {
            if try connection.query(collection.duplicates(index, options)).rowCount > 0 {
                throw PatchbayError.conflict(collection, index)
            }
        }
    }

    private func nameIsTaken(_ error: ServerError) -> PatchbayError {
        PatchbayError(
            .unsupported,
            "the storage cannot be created: \(error.message); set another storage.schema",
            [.server(connection.server)])
    }
}

extension ServerError {
    /// Whether an object of that name already exists: a schema, a table, or their entry in the catalog.
    fileprivate var isTaken: Bool { ["42P06", "42P07", "23505", "42710"].contains(state) }
}

extension CollectionSchema {
    /// Returns a query for a value that occurs twice in a unique index; nulls do not count.
    fileprivate func duplicates(_ index: Index, _ options: ConnectionOptions) -> String {
        let values = index.parts.map { part in
            let name = fields[part.position].column.quotedForSQL
            return part.isCaseFolded ? "lower(\(name) COLLATE \"C\")" : name
        }
        let filled = values.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
        return "SELECT 1 FROM \(options.qualified(name)) WHERE \(filled) "
            + "GROUP BY \(values.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1"
    }
}
