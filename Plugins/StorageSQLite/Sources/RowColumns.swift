import CSQLite
import PatchbayCore

/// The fields that the columns of a statement contain.
final class RowColumns {
    /// A trivial type, so that reading a row needs no reference counting.
    struct Column {
        let position: Int
        let type: FieldType
        let isOptional: Bool
        /// SQLite's constant for the type.
        let sqlType: Int32
        let nullBit: UInt64
    }

    let collection: CollectionSchema
    let columns: [Column]
    let fieldCount: Int
    /// The size of a row's header and slots, in bytes.
    let headBytes: Int
    /// The null bits of the fields that the statement does not select.
    let leftOut: UInt64
    /// The columns that hold the primary key.
    let keyPlaces: [Int]

    init(_ collection: CollectionSchema, _ fields: FieldSet) {
        self.collection = collection
        let columns = fields.positions.map { Column(collection.fields[$0], $0) }
        self.columns = columns
        self.fieldCount = collection.fields.count
        self.headBytes = 8 + 8 * collection.fields.count
        self.leftOut = collection.allFields.subtracting(fields).nullBits
        self.keyPlaces = collection.primaryKey.parts.compactMap { part in
            columns.firstIndex { $0.position == part.position }
        }
    }
}

extension RowColumns.Column {
    fileprivate init(_ field: Field, _ position: Int) {
        let sqlType =
            switch field.type {
            case .integer: SQLITE_INTEGER
            case .real: SQLITE_FLOAT
            case .text: SQLITE_TEXT
            case .bytes: SQLITE_BLOB
            }
        self.init(
            position: position, type: field.type, isOptional: field.isOptional, sqlType: sqlType,
            nullBit: FieldSet(positions: [position]).nullBits)
    }
}
