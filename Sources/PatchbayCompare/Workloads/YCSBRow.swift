import PatchbayCore
import SourceSynthetic

/// A row of YCSB's table: a key and ten fields of 100 bytes.
struct YCSBRow: StoredRecord {
    static let fieldCount = 10
    static let fieldBytes = 100

    var key: String
    var fields: [String]

    init(number: Int, _ draws: inout Draw) {
        key = YCSBRow.key(number)
        fields = (0..<YCSBRow.fieldCount).map { _ in draws.text(bytes: YCSBRow.fieldBytes) }
    }

    /// The key of the n-th inserted row, hashed so that new rows are spread over all keys.
    static func key(_ number: Int) -> String { "user\(FNV.hash(UInt64(number)))" }

    static let collection = CollectionSchema(
        "usertable", key: 0,
        fields: [Field("ycsb_key", .text)] + (0..<fieldCount).map { Field("field\($0)", .text) })

    init(_ row: borrowing RowView) {
        key = row.text(0)
        fields = (1...YCSBRow.fieldCount).map { row.text($0) }
    }

    func write(to row: inout RowBuilder) {
        row.set(0, key)
        for (position, field) in fields.enumerated() { row.set(position + 1, field) }
    }
}
