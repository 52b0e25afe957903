import PatchbayCore

/// The schema that is recorded in a schema of the database.
struct StoredSchema {
    let row: StoreRow
    /// The version, and the collections recorded in `patchbay_schema`.
    let schema: Schema
    /// The names of all tables and indexes.
    private let names: Set<String>

    /// Reads the schema. Returns nil when the database has no such storage.
    ///
    /// - Parameter known: the schema that is nearly always recorded.
    /// - Throws: `corrupted` when the schema cannot be read; ``ServerError``.
    init?(_ connection: Connection, expecting known: Schema? = nil) throws {
        let options = connection.options
        names = try StoredSchema.names(connection)
        guard names.contains(StoreTables.store) else { return nil }
        row = try StoreRow(connection)
        let answer = try connection.query(
            "SELECT name, definition FROM \(options.qualified(StoreTables.schema)) ORDER BY name")
        let entries = (0..<answer.rowCount).map { (answer.text($0, 0), answer.text($0, 1)) }
        do {
            schema = try Schema(version: row.version, recorded: entries, expecting: known)
        } catch let error as PatchbayError {
            throw error.adding([.server(connection.server)])
        }
    }

    /// Returns the names of the objects in the schema: tables, indexes, views, sequences.
    static func names(_ connection: Connection) throws -> Set<String> {
        let answer = try connection.query(
            """
            SELECT relname::text FROM pg_catalog.pg_class
            JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1
            """, with: connection.options.schema)
        return Set((0..<answer.rowCount).map { answer.text($0, 0) })
    }

    /// Returns the changes that migrate the database to the schema; empty when it is already up to date.
    ///
    /// - Throws: `unsupported` when it is newer than ours, differs in more than added fields and indexes, or needs a
    ///   name that is taken; `corrupted` when a table or index is missing.
    func changes(to schema: Schema) throws -> [SchemaChange] {
        let changes = try schema.changes(from: self.schema)
        try checkObjects()
        try StoredSchema.checkNames(schema, known: self.schema.collections, taken: names)
        return changes
    }

    /// Throws `corrupted` when a table or index is missing.
    func checkObjects() throws {
        let expected = [StoreTables.schema, StoreTables.commits] + schema.collections.flatMap(\.objectNames)
        try PatchbayError.checkObjects(expected, among: names)
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
