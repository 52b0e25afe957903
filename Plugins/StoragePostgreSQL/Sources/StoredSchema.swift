import PatchbayCore

/// The schema that is recorded in a schema of the database.
struct StoredSchema {
    let row: StoreRow
    /// The collections recorded in `patchbay_schema`.
    let collections: [CollectionSchema]
    /// The names of all tables and indexes.
    private let names: Set<String>

    /// Reads the schema. Returns nil when the database has no such storage.
    ///
    /// - Throws: `corrupted` when the schema cannot be read; ``ServerError``.
    init?(_ connection: Connection) throws {
        let options = connection.options
        names = try StoredSchema.names(connection)
        guard names.contains(StoreTables.store) else { return nil }
        row = try StoreRow(connection)
        let answer = try connection.query(
            "SELECT name, definition FROM \(options.qualified(StoreTables.schema)) ORDER BY name")
        collections = try (0..<answer.rowCount).map { number in
            let name = answer.text(number, 0), definition = answer.text(number, 1)
            guard let collection = CollectionSchema(definition: definition), collection.name == name else {
                throw PatchbayError(
                    .corrupted,
                    "the entry \"\(name)\" of patchbay_schema is not a definition; restore the database",
                    [.server(connection.server), .note("definition", definition)])
            }
            return collection
        }
    }

    var schema: Schema { Schema(version: row.version, collections) }

    /// Returns the names of the objects in the schema: tables, indexes, views, sequences.
    static func names(_ connection: Connection) throws -> Set<String> {
        var schema = Arguments()
        schema.append(connection.options.schema)
        let answer = try connection.query(
            """
            SELECT relname::text FROM pg_catalog.pg_class
            JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1
            """, [ServerType.text], schema)
        return Set((0..<answer.rowCount).map { answer.text($0, 0) })
    }

    /// Returns the statements that migrate the database to the schema; empty when it is already up to date.
    ///
    /// - Throws: `unsupported` when it is newer than ours, or differs in more than added fields and indexes;
    ///   `corrupted` when a table or index is missing.
    func changes(to schema: Schema, _ options: ConnectionOptions) throws -> [SchemaChange] {
        try schema.checkVersion(of: row.version)
        try checkObjects()
        try StoredSchema.checkNames(schema, known: collections, taken: names)
        var changes = try schema.collections.flatMap { try self.changes(to: $0, options) }
        if row.version != schema.version { changes.append(.setVersion(schema.version, options)) }
        return changes
    }

    private func changes(
        to collection: CollectionSchema, _ options: ConnectionOptions
    ) throws -> [SchemaChange] {
        guard let stored = collections.first(where: { $0.name == collection.name }) else {
            return SchemaChange.create(collection, options)
        }
        let migration = try collection.migration(from: stored)
        if migration.isNothing { return [] }
        let firstAdded = stored.fields.count
        return migration.removedIndexes.map { .drop($0, stored, options) }
            + migration.addedFields.indices.map {
                SchemaChange(collection.addColumn(firstAdded + $0, options))
            }
            + migration.addedIndexes.map { .build($0, collection, options) }
            + [.record(collection, options)]
    }

    /// Throws `corrupted` when a table or index is missing.
    func checkObjects() throws {
        let expected = [StoreTables.schema, StoreTables.commits] + collections.flatMap(\.objectNames)
        guard let missing = expected.first(where: { !names.contains($0) }) else { return }
        throw PatchbayError(
            .corrupted,
            "the table or index \"\(missing)\" is missing; create it again or restore the database")
    }

    /// Tables and indexes share one namespace in a schema.
    static func checkNames(_ schema: Schema, known: [CollectionSchema], taken names: Set<String>) throws {
        var taken = StoreTables.names
        for collection in schema.collections {
            let isNew = !known.contains { $0.name == collection.name }
            for name in collection.objectNames {
                if taken.insert(name).inserted, !(isNew && names.contains(name)) { continue }
                throw PatchbayError(
                    .unsupported,
                    "PostgreSQL cannot keep the collection \"\(collection.name)\": the name \"\(name)\" is taken "
                        + "in the schema; rename the collection or its index, or set another storage.schema")
            }
        }
    }
}

/// One statement of a schema migration.
struct SchemaChange {
    let sql: String
    /// The description shown as progress while the statement runs.
    let task: String

    init(_ sql: String, task: String = "changing the schema") {
        self.sql = sql
        self.task = task
    }

    /// Returns the statements that create a collection.
    static func create(_ collection: CollectionSchema, _ options: ConnectionOptions) -> [SchemaChange] {
        let indexes = (collection.hasKeyIndex ? [collection.primaryKey] : []) + collection.indexes
        return [SchemaChange(collection.createTable(options))]
            + indexes.map { .build($0, collection, options) } + [.record(collection, options)]
    }

    static func build(
        _ index: Index, _ collection: CollectionSchema, _ options: ConnectionOptions
    ) -> SchemaChange {
        SchemaChange(
            collection.createIndex(index, options),
            task: "building the index \(index.name) of \(collection.name)")
    }

    static func drop(
        _ index: Index, _ collection: CollectionSchema, _ options: ConnectionOptions
    ) -> SchemaChange {
        SchemaChange("DROP INDEX \(options.qualified(collection.indexName(index)))")
    }

    /// The definition contains no quotes (see ``PatchbayCore/CollectionSchema/definition``).
    static func record(_ collection: CollectionSchema, _ options: ConnectionOptions) -> SchemaChange {
        SchemaChange(
            "INSERT INTO \(options.qualified(StoreTables.schema)) (name, definition) "
                + "VALUES ('\(collection.name)', '\(collection.definition)') "
                + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition")
    }

    static func setVersion(_ version: Int, _ options: ConnectionOptions) -> SchemaChange {
        SchemaChange("UPDATE \(options.qualified(StoreTables.store)) SET version = \(version)")
    }
}
