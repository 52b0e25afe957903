import PatchbayCore

/// The answers of the operations of one turn: the rows of each, and a digest of each.
///
/// A turn is small, so its answers can be kept until those of all subjects have been compared.
struct AnswerLog: Sendable {
    private var collection: CollectionSchema?
    private var bytes: [UInt8] = []
    /// The end of each row in `bytes`, and of each operation's rows in `rowEnds`.
    private var rowEnds: [Int] = []
    private var operationEnds: [Int] = []
    /// The digest of all values of the rows of each operation.
    private(set) var digests: [UInt64] = []

    /// The digest of all answers in order; nil without answers.
    var digest: UInt64? { digests.reduce(into: SipDigest()) { $0.combine($1) }.value }

    private static let numbers = CollectionSchema("numbers", key: 0, fields: [Field("number", .integer)])

    /// Appends the numbers that one operation returned, each as a row.
    mutating func append(numbers: [Int64]) throws {
        var digest = begin(Self.numbers)
        var builder = RowBuilder()
        for number in numbers {
            builder.begin(Self.numbers)
            builder.set(0, number)
            add(try builder.finish(), to: &digest)
        }
        end(digest)
    }

    /// Appends copied rows that one operation returned.
    mutating func append(rows: some Sequence<[UInt8]>, of collection: CollectionSchema) {
        var digest = begin(collection)
        for row in rows { unsafe add(RowView(unchecked: row.span.bytes), to: &digest) }
        end(digest)
    }

    /// Appends the answers of another log.
    mutating func append(_ other: AnswerLog) {
        collection = collection ?? other.collection
        operationEnds += other.operationEnds.map { $0 + rowEnds.count }
        rowEnds += other.rowEnds.map { $0 + bytes.count }
        bytes += other.bytes
        digests += other.digests
    }

    /// The rows that one operation returned, as text.
    func rows(ofOperation number: Int) -> [TextRow] {
        guard let collection, digests.indices.contains(number) else { return [] }
        let first = number == 0 ? 0 : operationEnds[number - 1]
        return (first..<operationEnds[number]).map { place in
            let start = place == 0 ? 0 : rowEnds[place - 1]
            return unsafe TextRow(
                RowView(unchecked: bytes.span.bytes.extracting(start..<rowEnds[place])), collection)
        }
    }

    private mutating func begin(_ collection: CollectionSchema) -> ContentDigest {
        self.collection = collection
        return ContentDigest(of: collection)
    }

    private mutating func add(_ row: borrowing RowView, to digest: inout ContentDigest) {
        unsafe row.rawBytes.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
        rowEnds.append(bytes.count)
        digest.combine(row)
    }

    private mutating func end(_ digest: ContentDigest) {
        operationEnds.append(rowEnds.count)
        digests.append(UInt64(truncatingIfNeeded: digest.value) ^ UInt64(digest.rows))
    }
}
