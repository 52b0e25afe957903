/// The formats of exported files. Both preserve every value exactly.
package enum TransferFormat: String, Sendable, CaseIterable {
    /// One JSON object per line with the fields that are not null, in the order of the collection:
    ///
    ///     integer   digits; as text beyond 2^53 either way, where other readers would round
    ///     real      the fewest digits that read back as the same; "Infinity" and "-Infinity" as text
    ///     text      a JSON string
    ///     bytes     base64 (RFC 4648, section 4) as text
    ///
    /// A file with several collections has a line before the rows of each, which contains its name and definition:
    ///
    ///     {"_collection":"users","_definition":"users(id integer, ...)"}
    case jsonl
    /// One collection: a line with the names of the fields, then the rows (RFC 4180, but lines end in a line feed).
    /// Null is an empty field, an empty text and empty bytes are `""`, and other bytes are base64.
    case csv
}
