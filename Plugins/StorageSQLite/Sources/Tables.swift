import PatchbayCore

/// The tables of one connection, found by collection.
struct Tables {
    private var tables: [(collection: Collection, table: Table)]

    init(_ collections: [Collection], _ connection: Connection) {
        tables = collections.map { ($0, Table($0, connection)) }
    }

    /// The table of an opened collection, or of one declared alike.
    subscript(_ collection: Collection) -> Table {
        mutating get {
            for entry in tables where entry.collection === collection { return entry.table }
            guard let table = tables.first(where: { $0.collection == collection })?.table else {
                preconditionFailure("the collection \(collection.name) was not opened")
            }
            // Known by identity from now on; a program has few declarations.
            if tables.count < Tables.namesMax { tables.append((collection, table)) }
            return table
        }
    }

    private static let namesMax = 1_000
}
