import PatchbayCore

/// The form of a collection's lines: one member for each field that is not null, in the order of the fields.
///
///     integer   digits; a string beyond ±2^53, where other readers would round
///     real      the fewest digits that read back as the same value; "Infinity" and "-Infinity" as strings
///     text      a JSON string
///     bytes     base64 (RFC 4648, section 4) as a string
final class LineLayout: Sendable {
    /// A field's member, with the position of its `"name":` in ``names``.
    struct Member: Sendable {
        var type: FieldType
        var start: Int
        var count: Int
    }

    let collection: CollectionSchema
    let members: [Member]
    /// Every member's `"name":`, each padded with zeros to whole words.
    let names: [UInt8]
    /// The fields of the primary key, in the order of the fields, which the line of a deletion contains.
    let keyFields: FieldSet

    init(_ collection: CollectionSchema) {
        self.collection = collection
        var names: [UInt8] = [], members: [Member] = []
        for field in collection.fields {
            let name = Array("\"\(field.name)\":".utf8)
            members.append(Member(type: field.type, start: names.count, count: name.count))
            names += name + Array(repeating: 0, count: (8 - name.count % 8) % 8)
        }
        self.names = names
        self.members = members
        keyFields = FieldSet(positions: collection.primaryKey.parts.map(\.position))
    }

    /// The integers that every JSON reader keeps exact.
    static let exactIntegers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
}
