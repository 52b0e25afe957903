import PatchbayCore

extension SchemaChange {
    /// Returns the statements that make the change.
    func statements(_ options: ConnectionOptions) -> [String] {
        switch self {
        case .create(let collection):
            [collection.createTable(options)]
                + collection.entryIndexes.map { collection.createIndex($0.index, options) }
                + [collection.recordDefinition(options)]
        case .dropIndex(let index, let collection):
            ["DROP INDEX \(options.qualified(collection.indexName(index)))"]
        case .addField(let field, let collection): [collection.addColumn(field, options)]
        case .buildIndex(let index, let collection): [collection.createIndex(index, options)]
        case .declare(let collection): [collection.recordDefinition(options)]
        case .setVersion(let version):
            ["UPDATE \(options.qualified(StoreTables.store)) SET version = \(version)"]
        }
    }
}

extension CollectionSchema {
    /// The definition contains no quotes (see ``PatchbayCore/CollectionSchema/definition``).
    fileprivate func recordDefinition(_ options: ConnectionOptions) -> String {
        "INSERT INTO \(options.qualified(StoreTables.schema)) (name, definition) "
            + "VALUES ('\(name)', '\(definition)') "
            + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition"
    }
}
