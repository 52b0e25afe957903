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
        fields = collection.fields.enumerated().map { position, field in
            NameAndValue(field.name, TextRow.text(row, position, field.type))
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

extension Difference {
    /// Finds the first difference between two lists of rows. Texts leave out the ends of long values, so there may be
    /// none even though the answers differ.
    init(_ expected: [TextRow], _ found: [TextRow]) {
        let equal = zip(expected, found).prefix(while: ==).count
        let left = expected.dropFirst(equal).first, right = found.dropFirst(equal).first
        switch (left, right) {
        case (let left?, let right?) where left.key == right.key: self.init(left, right)
        case (nil, nil):
            self.init(
                expected: "another end of a long value",
                found: "the same first \(TextRow.valueCharactersMax) characters")
        default:
            // The row that one of them lacks, or else the one in another place.
            let surplus = right.flatMap { right in expected.contains { $0.key == right.key } ? nil : right }
            let lacking = left.flatMap { left in found.contains { $0.key == left.key } ? nil : left }
            self.init(
                key: (lacking ?? surplus ?? left ?? right)?.key ?? "",
                expected: left.map { "row \($0.key)" } ?? "no further row",
                found: right.map { "row \($0.key)" } ?? "no further row")
        }
    }

    /// Finds the field in which two rows with the same key differ.
    private init(_ expected: TextRow, _ found: TextRow) {
        let differing = zip(expected.fields, found.fields).first { $0 != $1 }
        self.init(
            key: expected.key, field: differing?.0.name,
            expected: differing?.0.value ?? "\(expected.fields.count) fields",
            found: differing?.1.value ?? "\(found.fields.count) fields")
    }
}
