import PatchbayCore

/// What the operations of one turn answered: the rows of each, and a digest of each.
///
/// A turn is small, so that its answers can be kept until those of all subjects were compared.
struct AnswerLog: Sendable {
    private var collection: CollectionSchema?
    private var bytes: [UInt8] = []
    /// Where each row ends in `bytes`, and each operation's rows in `rowEnds`.
    private var rowEnds: [Int] = []
    private var operationEnds: [Int] = []
    /// One for each operation, of all values of its rows.
    private(set) var digests: [UInt64] = []

    /// The values of all answers, in their order.
    var digest: UInt64 {
        var hash = SipHash()
        for digest in digests { hash.combine(digest) }
        return UInt64(truncatingIfNeeded: hash.finish())
    }

    /// Takes the records that one operation answered.
    mutating func append<R: StoredRecord>(_ records: some Sequence<R>) throws {
        var digest = begin(R.collection)
        var builder = RowBuilder()
        for record in records {
            builder.begin(R.collection)
            record.write(to: &builder)
            add(try builder.finish(), to: &digest)
        }
        end(digest)
    }

    /// Takes rows of a collection, copied as they were read.
    mutating func append(rows: some Sequence<[UInt8]>, of collection: CollectionSchema) {
        var digest = begin(collection)
        for row in rows { add(RowView(unchecked: row.span.bytes), to: &digest) }
        end(digest)
    }

    /// Takes what another log holds, behind what this one holds.
    mutating func append(_ other: AnswerLog) {
        collection = collection ?? other.collection
        operationEnds += other.operationEnds.map { $0 + rowEnds.count }
        rowEnds += other.rowEnds.map { $0 + bytes.count }
        bytes += other.bytes
        digests += other.digests
    }

    /// The rows that one operation answered, as text.
    func rows(ofOperation number: Int) -> [TextRow] {
        guard let collection, digests.indices.contains(number) else { return [] }
        let first = number == 0 ? 0 : operationEnds[number - 1]
        return (first..<operationEnds[number]).map { place in
            let start = place == 0 ? 0 : rowEnds[place - 1]
            return TextRow(
                RowView(unchecked: bytes.span.bytes.extracting(start..<rowEnds[place])), collection)
        }
    }

    private mutating func begin(_ collection: CollectionSchema) -> ContentDigest {
        self.collection = collection
        return ContentDigest(of: collection)
    }

    private mutating func add(_ row: borrowing RowView, to digest: inout ContentDigest) {
        row.rawBytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        rowEnds.append(bytes.count)
        digest.combine(row)
    }

    private mutating func end(_ digest: ContentDigest) {
        operationEnds.append(rowEnds.count)
        digests.append(UInt64(truncatingIfNeeded: digest.value) ^ UInt64(digest.rows))
    }
}
