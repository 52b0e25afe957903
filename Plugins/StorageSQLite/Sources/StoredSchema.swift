import PatchbayCore

/// What a database says about itself.
struct StoredSchema {
    let applicationID: Int
    let version: Int
    /// As `patchbay_schema` has them.
    let collections: [Collection]
    /// The names of all tables and indexes.
    let objects: Set<String>

    /// Reads it; the caller holds a transaction.
    ///
    /// - Throws: `corrupted` when the schema cannot be read.
    init(_ connection: Connection) throws {
        applicationID = try connection.integer("PRAGMA application_id")
        version = try connection.integer("PRAGMA user_version")
        var objects: Set<String> = []
        let names = try connection.prepare("SELECT name FROM sqlite_schema")
        while try names.step() { objects.insert(names.text(0)) }
        self.objects = objects
        collections = objects.contains("patchbay_schema") ? try StoredSchema.collections(connection) : []
    }

    var isEmpty: Bool { objects.isEmpty }

    /// Whether another program made the database.
    var isForeign: Bool { applicationID != DatabaseFile.applicationID && !(applicationID == 0 && isEmpty) }

    /// The statements that lead to the schema; none when it is there.
    ///
    /// - Throws: `unsupported` when it is newer than ours, or differs in more than added fields and indexes;
    ///   `corrupted` when a table or index is missing.
    func changes(to schema: Schema) throws -> [String] {
        guard version <= schema.version else {
            throw PatchbayError(
                .unsupported,
                "the database has schema version \(version), newer than \(schema.version); use a newer Patchbay")
        }
        try checkObjects()
        var changes = isEmpty ? [StoredSchema.createTable] : []
        for collection in schema.collections { changes += try self.changes(to: collection) }
        if version != schema.version { changes.append("PRAGMA user_version = \(schema.version)") }
        return changes
    }

    private func changes(to collection: Collection) throws -> [String] {
        guard let stored = collections.first(where: { $0.name == collection.name }) else {
            try checkNames(collection)
            return [collection.createTable] + collection.indexes.map(collection.createIndex) + [record(collection)]
        }
        let migration = try collection.migration(from: stored)
        if migration.isNothing { return [] }
        return migration.removedIndexes.map { "DROP INDEX \(collection.sqlName(of: $0))" }
            + migration.addedFields.map(collection.addColumn)
            + migration.addedIndexes.map(collection.createIndex)
            + [record(collection)]
    }

    /// The definition holds no quotes (see ``PatchbayCore/Collection/definition``).
    private func record(_ collection: Collection) -> String {
        "INSERT INTO patchbay_schema (name, definition) VALUES ('\(collection.name)', '\(collection.definition)') "
            + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition"
    }

    private func checkObjects() throws {
        let expected = isEmpty ? [] : ["patchbay_schema"] + collections.flatMap(\.objectNames)
        guard let missing = expected.first(where: { !objects.contains($0) }) else { return }
        throw PatchbayError(
            .corrupted, "the table or index \"\(missing)\" is missing; create it again or restore the database")
    }

    /// A table and an index cannot share a name in SQLite, nor begin as its own do.
    private func checkNames(_ collection: Collection) throws {
        let taken = objects.union(["patchbay_schema"])
        let isFree = collection.objectNames.allSatisfy { !taken.contains($0) && !$0.hasPrefix("sqlite_") }
        if isFree { return }
        throw PatchbayError(
            .unsupported,
            "SQLite cannot keep the collection \"\(collection.name)\": a name that it needs is taken; rename it")
    }

    private static let createTable =
        "CREATE TABLE patchbay_schema (name TEXT NOT NULL PRIMARY KEY, definition TEXT NOT NULL) STRICT, WITHOUT ROWID"

    private static func collections(_ connection: Connection) throws -> [Collection] {
        let rows = try connection.prepare("SELECT name, definition FROM patchbay_schema ORDER BY name")
        var collections: [Collection] = []
        while try rows.step() {
            guard let collection = Collection(definition: rows.text(1)), collection.name == rows.text(0) else {
                throw PatchbayError(
                    .corrupted,
                    "the entry \"\(rows.text(0))\" of patchbay_schema is not a definition; restore the database",
                    ["definition": rows.text(1)])
            }
            collections.append(collection)
        }
        return collections
    }
}
