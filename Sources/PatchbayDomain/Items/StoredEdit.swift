public import PatchbayCore

/// An edit of a row that is no longer stored; it applies again when the row comes back.
///
/// The edits of a stored row are columns of the row (``Resource/editable``).
public struct StoredEdit: Hashable, Sendable {
    public var row: StoredRowKey
    /// The name of the edited field.
    public var field: String
    public var value: String

    public init(_ row: StoredRowKey, _ field: String, _ value: String) {
        self.row = row
        self.field = field
        self.value = value
    }

    public var key: Key { row.key(.text(field)) }
}

extension StoredEdit: StoredRecord {
    static let field = RowColumn<String>(2, "field")
    static let value = RowColumn<String>(3, "value")

    public static let collection = CollectionSchema(
        "edits", key: RowKeyColumns.collection.position, RowKeyColumns.text.position, field.position,
        fields: [RowKeyColumns.collection.field, RowKeyColumns.text.field, field.field, value.field])

    public init(_ row: borrowing RowView) {
        self.init(RowKeyColumns.read(row), row[Self.field], row[Self.value])
    }

    public func write(to row: inout RowBuilder) {
        RowKeyColumns.write(self.row, to: &row)
        row[Self.field] = field
        row[Self.value] = value
    }
}
