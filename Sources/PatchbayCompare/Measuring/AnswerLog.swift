import PatchbayCore
import PatchbayDomain

/// The answer of one operation, which is examined after the clock has stopped.
///
/// Safe, because the rows of a bare engine are only passed on to it.
@safe enum Answer {
    /// A write has nothing to compare.
    case nothing
    case row(Item?)
    case rows([Item])
    /// Numbers in any order, each as a row.
    case numbers([Int64])
    /// The rows of a bare engine, which become packed rows.
    case structures(OpaquePointer)
}

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
    var digest: UInt64? { digests.digest }

    private static let numbers = CollectionSchema("numbers", key: 0, fields: [Field("number", .integer)])

    /// Appends the answer of one operation on a subject.
    mutating func append(_ answer: Answer, of bench: Bench) throws {
        switch answer {
        case .nothing: break
        case .row(let row): append(row.map { [$0.bytes] } ?? [], of: bench.resource.collection)
        case .rows(let rows): append(rows.map(\.bytes), of: bench.resource.collection)
        case .numbers(let numbers):
            var builder = RowBuilder()
            let rows = try numbers.sorted().map { number in
                builder.begin(Self.numbers)
                builder.set(0, number)
                return try builder.finish().copyBytes()
            }
            append(rows, of: Self.numbers)
        case .structures(let rows):
            unsafe append(try bench.bare!.take(rows), of: bench.population.resource.collection)
        }
    }

    private mutating func append(_ rows: [[UInt8]], of collection: CollectionSchema) {
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

extension [UInt64] {
    /// The digest of these digests; nil when there are none.
    var digest: UInt64? {
        isEmpty ? nil : UInt64(truncatingIfNeeded: reduce(into: SipHash()) { $0.combine($1) }.finish())
    }
}
