/// The fields that the columns of a statement contain, for storages in SQL databases, which encode their answers as
/// rows (``RowView``).
package final class RowColumns: Sendable {
    /// A trivial type, so that reading a row needs no reference counting.
    package struct Column: Sendable {
        package let position: Int
        package let type: FieldType
        /// The database's number for the type.
        package let databaseType: Int32
        package let isOptional: Bool
        package let nullBit: UInt64
    }

    package let collection: CollectionSchema
    package let columns: [Column]
    package let fieldCount: Int
    /// The size of a row's header and slots, in bytes.
    package let headBytes: Int
    /// The null bits of the fields that the statement does not select.
    package let leftOut: UInt64
    /// The columns that contain the primary key.
    package let keyPlaces: [Int]

    package init(
        _ collection: CollectionSchema, _ fields: FieldSet, databaseType: (FieldType) -> Int32
    ) {
        self.collection = collection
        let columns = fields.positions.map { position in
            let field = collection.fields[position]
            return Column(
                position: position, type: field.type, databaseType: databaseType(field.type),
                isOptional: field.isOptional, nullBit: FieldSet(positions: [position]).nullBits)
        }
        self.columns = columns
        fieldCount = collection.fields.count
        headBytes = 8 + 8 * collection.fields.count
        leftOut = collection.allFields.subtracting(fields).nullBits
        keyPlaces = collection.primaryKey.parts.compactMap { part in
            columns.firstIndex { $0.position == part.position }
        }
    }
}
