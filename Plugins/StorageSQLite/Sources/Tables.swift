import PatchbayCore

/// The tables of one connection, found by collection.
struct Tables {
    /// The identities under which the tables are known, side by side with them.
    private var names: [ObjectIdentifier]
    private var tables: [Table]
    /// Keeps collections that came later, so that no other takes their identity.
    private var aliases: [CollectionSchema] = []
    /// A program has few declarations; past this they are compared.
    private static let namesMax = 1_000

    init(_ collections: [CollectionSchema], _ connection: Connection) {
        names = collections.map { ObjectIdentifier($0) }
        tables = collections.map { Table($0, connection) }
    }

    /// The table of an opened collection, or of one declared alike.
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
