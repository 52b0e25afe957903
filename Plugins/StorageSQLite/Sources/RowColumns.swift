import CSQLite
import PatchbayCore

/// Which fields the columns of a statement hold.
final class RowColumns {
    /// Trivial, so that reading a row counts no references.
    struct Column {
        let position: Int
        let type: FieldType
        let isOptional: Bool
        /// What SQLite calls the type.
        let sqlType: Int32
    }

    let collection: CollectionSchema
    let columns: [Column]
    let fieldCount: Int
    /// The bytes of a row's header and slots.
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
        self.leftOut = collection.allFields.subtracting(fields).rawValue << 16
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
        self.init(position: position, type: field.type, isOptional: field.isOptional, sqlType: sqlType)
    }
}

extension CollectionSchema {
    /// Every field there is, unlike ``PatchbayCore/FieldSet/all``, which has bits for more.
    var allFields: FieldSet { FieldSet(positions: fields.indices) }
}
