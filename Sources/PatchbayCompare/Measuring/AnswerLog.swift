import PatchbayCore

/// The answers of the operations of one turn: the rows of each, and a digest of each.
///
/// A turn is small, so its answers can be kept until those of all subjects have been compared.
struct AnswerLog: Sendable {
    private var collection: CollectionSchema?
    /// The packed rows of each operation.
    private var rows: [[[UInt8]]] = []
    /// The digest of all values of the rows of each operation.
    private(set) var digests: [UInt64] = []

    /// The digest of all answers in order; nil without answers.
    var digest: UInt64? { digests.reduce(into: SipDigest()) { $0.combine($1) }.value }

    private static let numbers = CollectionSchema("numbers", key: 0, fields: [Field("number", .integer)])

    /// Appends the numbers that one operation returned, each as a row.
    mutating func append(numbers: [Int64]) throws {
        var builder = RowBuilder()
        let rows = try numbers.map { number in
            builder.begin(Self.numbers)
            builder.set(0, number)
            return try builder.finish().copyBytes()
        }
        append(rows: rows, of: Self.numbers)
    }

    /// Appends copied rows that one operation returned.
    mutating func append(rows: [[UInt8]], of collection: CollectionSchema) {
        var digest = ContentDigest(of: collection)
        for row in rows { digest.combine(unsafe RowView(unchecked: row.span.bytes)) }
        self.collection = collection
        self.rows.append(rows)
        digests.append(UInt64(truncatingIfNeeded: digest.value) ^ UInt64(digest.rows))
    }

    /// The rows that one operation returned, as text.
    func rows(ofOperation number: Int) -> [TextRow] {
        guard let collection, rows.indices.contains(number) else { return [] }
        return rows[number].map { unsafe TextRow(RowView(unchecked: $0.span.bytes), collection) }
    }
}
