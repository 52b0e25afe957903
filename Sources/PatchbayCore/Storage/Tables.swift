/// The values, such as prepared statements, that one connection keeps for each collection it has opened.
@usableFromInline
package struct Tables<Table> {
    /// The identities under which the tables are known, parallel to `tables` and `collections`.
    @usableFromInline var names: [ObjectIdentifier]
    @usableFromInline var tables: [Table]
    /// Keeps the collections alive, so that no other object gets their identity.
    private var collections: [CollectionSchema]
    /// The most identities to remember. Programs declare few collections; beyond this limit, declarations are compared.
    private static var namesMax: Int { 1_000 }

    package init(_ collections: [CollectionSchema], _ table: (CollectionSchema) throws -> Table) rethrows {
        self.collections = collections
        names = collections.map { ObjectIdentifier($0) }
        tables = try collections.map(table)
    }

    /// Returns the table of an opened collection, or of one with the same fields and key. Its indexes may be fewer: a
    /// storage opened for reading keeps those that a newer declaration has dropped.
    ///
    /// - Throws: `unsupported` for another collection.
    @inlinable package subscript(_ collection: CollectionSchema) -> Table {
        mutating get throws {
            let place = try names.firstIndex(of: ObjectIdentifier(collection)) ?? place(ofSame: collection)
            return tables[place]
        }
    }

    @usableFromInline mutating func place(ofSame collection: CollectionSchema) throws -> Int {
        let place = collections.firstIndex {
            $0.name == collection.name && $0.fields == collection.fields
                && $0.primaryKey == collection.primaryKey
        }
        guard let place else { throw PatchbayError.notOpened(collection) }
        if names.count < Self.namesMax {
            names.append(ObjectIdentifier(collection))
            tables.append(tables[place])
            collections.append(collection)
        }
        return place
    }
}

extension Tables: Sendable where Table: Sendable {}

extension StorageReader {
    /// Returns the error that names the first declared unique index in which another row has the same values; nil when
    /// there is none.
    package func conflict(
        of row: borrowing RowView, in collection: CollectionSchema
    ) throws -> PatchbayError? {
        for index in collection.indexes where index.isUnique {
            let values = collection.key(of: row, in: index).values.prefix(index.parts.count)
            if values.contains(.null) { continue }
            let ownKey = collection.key(of: row)
            var isTaken = false
            let query = Query(collection, by: index, .equal(.compound(Array(values))), limit: 2, fields: [])
            try scan(query) {
                isTaken = collection.key(of: $0) != ownKey
                return isTaken ? .stop : .next
            }
            if isTaken { return .conflict(collection, index) }
        }
        return nil
    }
}
