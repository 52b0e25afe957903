import PatchbayCore

/// A row as text, for reports of differences.
struct TextRow: Sendable, Hashable, Codable {
    /// The values of the primary key.
    var key: String
    /// The values in the order of the collection's fields.
    var fields: [NameAndValue]

    /// The number of characters after which a value is cut.
    static let valueCharactersMax = 200
}

extension TextRow {
    init(_ row: borrowing RowView, _ collection: CollectionSchema) {
        key = collection.key(of: row).description
        fields = []
        for (position, field) in collection.fields.enumerated() {
            fields.append(NameAndValue(field.name, TextRow.text(row, position, field.type)))
        }
    }

    private static func text(_ row: borrowing RowView, _ position: Int, _ type: FieldType) -> String {
        if row.isNull(position) { return "null" }
        switch type {
        case .integer: return String(row.integer(position))
        case .real: return String(row.real(position))
        case .text: return "\"\(row.text(position).prefix(valueCharactersMax))\""
        case .bytes: return "\(row.bytes(position).byteCount) bytes"
        }
    }
}
