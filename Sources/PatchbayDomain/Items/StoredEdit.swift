package import PatchbayCore

/// An edit of a row that is no longer stored; it applies again when the row comes back.
///
/// The edits of a stored row are columns of the row (``Resource/editable``).
package struct StoredEdit: Hashable, Sendable {
    package var row: StoredRowKey
    /// The name of the edited field.
    package var field: String
    package var value: String

    package init(_ row: StoredRowKey, _ field: String, _ value: String) {
        self.row = row
        self.field = field
        self.value = value
    }
}

extension StoredEdit: StoredRecord {
    static let field = RowColumn<String>(2, "field")
    static let value = RowColumn<String>(3, "value")

    package static let collection = CollectionSchema(
        "edits", key: RowKeyColumns.collection.position, RowKeyColumns.text.position, field.position,
        fields: [RowKeyColumns.collection.field, RowKeyColumns.text.field, field.field, value.field])

    package init(_ row: borrowing RowView) {
        self.init(StoredRowKey(row), row[Self.field], row[Self.value])
    }

    package func write(to row: inout RowBuilder) {
        RowKeyColumns.write(self.row, to: &row)
        row[Self.field] = field
        row[Self.value] = value
    }
}
