import PatchbayCore

/// A number that an operation returned, as a row.
struct FoundNumber: StoredRecord {
    var number: Int64

    init(_ number: Int64) { self.number = number }

    static let collection = CollectionSchema("numbers", key: 0, fields: [Field("number", .integer)])

    init(_ row: borrowing RowView) { number = row.integer(0) }

    func write(to row: inout RowBuilder) { row.set(0, number) }
}
