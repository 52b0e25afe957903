import PatchbayCore

/// The schema that is recorded in a database.
struct StoredSchema {
    let applicationID: Int
    let version: Int
    /// The collections recorded in `patchbay_schema`.
    let collections: [CollectionSchema]
    /// The names of all tables, indexes, views and triggers.
    private let names: Set<String>
    /// The names of the objects that have pages of their own. Views and virtual tables have none; reading one would
    /// run code that another program supplied and that might never end.
    private let objects: Set<String>

    /// Reads the schema; the caller holds a transaction.
    ///
    /// - Throws: `corrupted` when the schema cannot be read.
    init(_ connection: Connection) throws {
        applicationID = try connection.integer("PRAGMA application_id")
        version = try connection.integer("PRAGMA user_version")
        var names: Set<String> = [], objects: Set<String> = []
        let entries = try connection.prepare("SELECT name, rootpage FROM sqlite_schema")
        while try entries.step() {
            names.insert(entries.text(0))
            if entries.integer(1) > 0 { objects.insert(entries.text(0)) }
        }
        self.names = names
        self.objects = objects
        collections = objects.contains("patchbay_schema") ? try StoredSchema.collections(connection) : []
    }

    var isEmpty: Bool { names.isEmpty }

    var schema: Schema { Schema(version: version, collections) }

    /// Whether another program made the database.
    var isForeign: Bool { applicationID != DatabaseFile.applicationID && !(applicationID == 0 && isEmpty) }

    /// Returns the statements that migrate the database to the schema; empty when it is already up to date.
    ///
    /// - Throws: `unsupported` when it is newer than ours, or differs in more than added fields and indexes;
    ///   `corrupted` when a table or index is missing.
    func changes(to schema: Schema) throws -> [SchemaChange] {
        try schema.checkVersion(of: version)
        try checkObjects()
        try checkNames(schema)
        var changes = isEmpty ? [SchemaChange(StoredSchema.createTable)] : []
        for collection in schema.collections { changes += try self.changes(to: collection) }
        if version != schema.version { changes.append(.setVersion(schema.version)) }
        return changes
    }

    private func changes(to collection: CollectionSchema) throws -> [SchemaChange] {
        guard let stored = collections.first(where: { $0.name == collection.name }) else {
            return [SchemaChange(collection.createTable)] + collection.indexes.map { .build($0, collection) }
                + [.record(collection)]
        }
        let migration = try collection.migration(from: stored)
        if migration.isNothing { return [] }
        return migration.removedIndexes.map { .drop($0, collection) }
            + migration.addedFields.map { SchemaChange(collection.addColumn($0)) }
            + migration.addedIndexes.map { .build($0, collection) }
            + [.record(collection)]
    }

    /// Throws `corrupted` when a table or index is missing.
    func checkObjects() throws {
        let expected = isEmpty ? [] : ["patchbay_schema"] + collections.flatMap(\.objectNames)
        guard let missing = expected.first(where: { !objects.contains($0) }) else { return }
        throw PatchbayError(
            .corrupted,
            "the table or index \"\(missing)\" is missing; create it again or restore the database")
    }

    /// Tables and indexes share one namespace in SQLite, and names that start with `sqlite_` are reserved.
    private func checkNames(_ schema: Schema) throws {
        var taken: Set<String> = ["patchbay_schema"]
        for collection in schema.collections {
            let isNew = !collections.contains { $0.name == collection.name }
            for name in collection.objectNames {
                let isFree = taken.insert(name).inserted && !(isNew && names.contains(name))
                if isFree, !name.hasPrefix("sqlite_") { continue }
                throw PatchbayError(
                    .unsupported,
                    "SQLite cannot keep the collection \"\(collection.name)\": "
                        + "the name \"\(name)\" is taken; rename the collection or its index")
            }
        }
    }

    private static let createTable =
        "CREATE TABLE patchbay_schema (name TEXT NOT NULL PRIMARY KEY, definition TEXT NOT NULL) "
        + "STRICT, WITHOUT ROWID"

    private static func collections(_ connection: Connection) throws -> [CollectionSchema] {
        let rows = try connection.prepare("SELECT name, definition FROM patchbay_schema ORDER BY name")
        var collections: [CollectionSchema] = []
        while try rows.step() {
            guard let collection = CollectionSchema(definition: rows.text(1)), collection.name == rows.text(0)
            else {
                throw PatchbayError(
                    .corrupted,
                    "the entry \"\(rows.text(0))\" of patchbay_schema is not a definition; "
                        + "restore the database",
                    [.note("definition", rows.text(1))])
            }
            collections.append(collection)
        }
        return collections
    }
}
