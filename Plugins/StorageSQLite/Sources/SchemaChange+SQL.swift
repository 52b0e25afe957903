import PatchbayCore

extension SchemaChange {
    /// The statements that make the change.
    var statements: [String] {
        switch self {
        case .create(let collection):
            [collection.createTable] + collection.indexes.map(collection.createIndex)
                + [collection.recordDefinition]
        case .dropIndex(let index, let collection): ["DROP INDEX \(collection.sqlName(of: index))"]
        case .addField(let field, let collection): [collection.addColumn(field)]
        case .buildIndex(let index, let collection): [collection.createIndex(index)]
        case .declare(let collection): [collection.recordDefinition]
        case .setVersion(let version): ["PRAGMA user_version = \(version)"]
        }
    }
}

extension CollectionSchema {
    /// The definition contains no quotes (see ``PatchbayCore/CollectionSchema/definition``).
    fileprivate var recordDefinition: String {
        "INSERT INTO patchbay_schema (name, definition) VALUES ('\(name)', '\(definition)') "
            + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition"
    }
}
