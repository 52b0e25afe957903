import PatchbayCore
import PatchbayTestKit

/// A value for one column of a collection, which another program could have stored.
struct ColumnValue: CustomStringConvertible {
    let collection: CollectionSchema
    let position: Int
    let value: FieldValue

    var field: Field { collection.fields[position] }
    var isPartOfKey: Bool { collection.primaryKey.parts.contains { $0.position == position } }
    var description: String { "\(collection.name).\(field.name) = \(value)" }

    /// All values to try for the columns of the collections with these rows.
    static func all(_ rows: [(collection: CollectionSchema, rows: [Values])]) -> [ColumnValue] {
        rows.flatMap { collection, rows in
            collection.fields.indices.flatMap { position in
                values(of: collection.fields[position], among: rows.map { $0[position] }).map {
                    ColumnValue(collection: collection, position: position, value: $0)
                }
            }
        }
    }

    private static func values(of field: Field, among stored: [FieldValue]) -> [FieldValue] {
        var values = extremes(of: field.type)
        if field.isOptional { values.append(.null) }
        // Values of other rows are valid each, but not together with the rest of the row.
        for value in [stored.first, stored.last] {
            if let value, !values.contains(value) { values.append(value) }
        }
        return values
    }

    private static func extremes(of type: FieldType) -> [FieldValue] {
        switch type {
        case .integer:
            [
                .min, .min + 1, -62_135_596_800_001, -1, 0, 1, 2, 999, 1 << 31, 1 << 48, 253_402_300_800_000,
                1 << 62, .max - 1, .max,
            ].map { .integer($0) }
        case .real: [-.infinity, -1, 0, .leastNonzeroMagnitude, .infinity].map { .real($0) }
        case .text:
            [
                "", "x", " ", "-1", "9223372036854775807", "{}", "[", "null", "\"", "\n", ": ",
                "\u{1}\u{7F}\r\n",
                "\u{1B}[2J", "\u{202E}\u{FEFF}", "é/e\u{301}%zz?&#", String(repeating: "x ", count: 250),
                String(repeating: "x", count: 100_000), "https://other.example.org/people?since=1",
            ].map { .text($0) }
        case .bytes:
            [0, 1, 7, 8, 9, 300, 10_000].flatMap { count in
                [0, 0xFF].map { .bytes([UInt8](repeating: $0, count: count)) }
            }
        }
    }
}
