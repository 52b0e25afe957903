import PatchbayCore
import PatchbayJSON

/// The form of a collection's lines: one member for each field that is not null, in the order of the fields.
///
///     integer   digits; a string beyond ±2^53, where other readers would round
///     real      the fewest digits that read back as the same value; "Infinity" and "-Infinity" as strings
///     text      a JSON string
///     bytes     base64 (RFC 4648, section 4) as a string
final class LineLayout: Sendable {
    let collection: CollectionSchema
    let types: [FieldType]
    /// The keys of the fields, then `_deleted` and `_crc`.
    let keys: JSONKeyTexts
    /// The fields of the primary key, in the order of the fields, which the line of a deletion contains.
    let keyFields: FieldSet

    init(_ collection: CollectionSchema) {
        self.collection = collection
        types = collection.fields.map(\.type)
        keys = JSONKeyTexts(collection.fields.map(\.name) + ["_deleted", "_crc"])
        keyFields = FieldSet(positions: collection.primaryKey.parts.map(\.position))
    }

    /// The integers that every JSON reader keeps exact.
    static let exactIntegers: ClosedRange<Int64> = -(1 << 53)...(1 << 53)
}
