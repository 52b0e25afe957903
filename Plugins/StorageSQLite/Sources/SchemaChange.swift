import PatchbayCore

/// One statement of a schema migration.
struct SchemaChange {
    let sql: String
    /// The description shown as progress while the statement runs.
    let task: String

    init(_ sql: String, task: String = "changing the schema") {
        self.sql = sql
        self.task = task
    }

    static func build(_ index: Index, _ collection: CollectionSchema) -> SchemaChange {
        SchemaChange(
            collection.createIndex(index), task: "building the index \(index.name) of \(collection.name)")
    }

    static func drop(_ index: Index, _ collection: CollectionSchema) -> SchemaChange {
        SchemaChange("DROP INDEX \(collection.sqlName(of: index))")
    }

    /// The definition contains no quotes (see ``PatchbayCore/CollectionSchema/definition``).
    static func record(_ collection: CollectionSchema) -> SchemaChange {
        SchemaChange(
            "INSERT INTO patchbay_schema (name, definition) "
                + "VALUES ('\(collection.name)', '\(collection.definition)') "
                + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition")
    }

    static func setVersion(_ version: Int) -> SchemaChange {
        SchemaChange("PRAGMA user_version = \(version)")
    }
}
