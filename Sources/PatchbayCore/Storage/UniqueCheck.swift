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
