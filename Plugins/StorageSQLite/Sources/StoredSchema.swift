import PatchbayCore

/// The schema that is recorded in a database.
struct StoredSchema {
    let applicationID: Int
    /// The version, and the collections recorded in `patchbay_schema`.
    let schema: Schema
    /// The names of all tables, indexes, views and triggers.
    private let names: [String]
    /// The names of the objects that have pages of their own. Views and virtual tables have none; reading one would
    /// run code that another program supplied and that might never end.
    private let objects: Set<String>

    /// Reads the schema; the caller holds a transaction.
    ///
    /// - Parameter known: the schema that is nearly always recorded.
    /// - Throws: `corrupted` when the schema cannot be read.
    init(_ connection: Connection, expecting known: Schema? = nil) throws {
        applicationID = try connection.integer("PRAGMA application_id")
        var names: [String] = [], objects: Set<String> = []
        objects.reserveCapacity(known.map { $0.collections.reduce(2) { $0 + 1 + $1.indexes.count } } ?? 0)
        let entries = try connection.prepare("SELECT name, rootpage FROM sqlite_schema")
        while try entries.step() {
            let name = entries.text(0)
            names.append(name)
            if entries.integer(1) > 0 { objects.insert(name) }
        }
        self.names = names
        self.objects = objects
        schema = try Schema(
            version: connection.integer("PRAGMA user_version"),
            recorded: objects.contains("patchbay_schema") ? StoredSchema.entries(connection) : [],
            expecting: known)
    }

    var isEmpty: Bool { names.isEmpty }

    /// Whether another program made the database.
    var isForeign: Bool { applicationID != DatabaseFile.applicationID && !(applicationID == 0 && isEmpty) }

    /// Returns the changes that migrate the database to the schema; empty when it is already up to date.
    ///
    /// - Throws: `unsupported` when it is newer than ours, differs in more than added fields and indexes, or needs a
    ///   name that is taken; `corrupted` when a table or index is missing.
    func changes(to schema: Schema) throws -> [SchemaChange] {
        let changes = try schema.changes(from: self.schema)
        try checkObjects()
        // Names that are stored already are not taken by anything else.
        if !changes.isEmpty { try checkNames(schema) }
        return changes
    }

    /// Throws `corrupted` when a table or index is missing.
    func checkObjects() throws {
        let expected = isEmpty ? [] : ["patchbay_schema"] + schema.collections.flatMap(\.objectNames)
        try PatchbayError.checkObjects(expected, among: objects)
    }

    /// Tables and indexes share one namespace in SQLite.
    private func checkNames(_ wanted: Schema) throws {
        var taken: Set<String> = ["patchbay_schema"]
        for collection in wanted.collections {
            let isNew = !schema.collections.contains { $0.name == collection.name }
            for name in collection.objectNames {
                if taken.insert(name).inserted, !(isNew && names.contains(name)) { continue }
                throw PatchbayError(
                    .unsupported,
                    "SQLite cannot keep the collection \"\(collection.name)\": "
                        + "the name \"\(name)\" is taken; rename the collection or its index")
            }
        }
    }

    /// The statement that creates the table of definitions, in an empty database.
    static let createTable =
        "CREATE TABLE patchbay_schema (name TEXT NOT NULL PRIMARY KEY, definition TEXT NOT NULL) "
        + "STRICT, WITHOUT ROWID"

    private static func entries(_ connection: Connection) throws -> [(name: String, definition: String)] {
        let rows = try connection.prepare("SELECT name, definition FROM patchbay_schema ORDER BY name")
        var entries: [(name: String, definition: String)] = []
        while try rows.step() { entries.append((rows.text(0), rows.text(1))) }
        return entries
    }
}
