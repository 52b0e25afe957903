import PatchbayCore

/// The tables of one connection, by collection.
struct Tables {
    /// The identities under which the tables are known, parallel to `tables`.
    private var names: [ObjectIdentifier]
    private var tables: [Table]
    /// Keeps collections that were added later alive, so that no other object gets their identity.
    private var aliases: [CollectionSchema] = []
    /// The most identities to remember. Programs declare few collections; beyond this limit, declarations are compared.
    private static let namesMax = 1_000

    init(_ collections: [CollectionSchema], _ connection: Connection) {
        names = collections.map { ObjectIdentifier($0) }
        tables = collections.map { Table($0, connection) }
    }

    /// Returns the table of an opened collection, or of one with an equal declaration.
    subscript(_ collection: CollectionSchema) -> Table {
        mutating get {
            if let place = names.firstIndex(of: ObjectIdentifier(collection)) { return tables[place] }
            guard let table = tables.first(where: { $0.collection == collection }) else {
                preconditionFailure("the collection \(collection.name) was not opened")
            }
            if names.count < Tables.namesMax {
                names.append(ObjectIdentifier(collection))
                tables.append(table)
                aliases.append(collection)
            }
            return table
        }
    }
}
