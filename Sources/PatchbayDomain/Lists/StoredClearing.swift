package import PatchbayCore

/// The number of times a list was cleared.
///
/// A use case reads it before a request, and again in the transaction that saves the answer. When it has changed, the
/// answer is discarded: it was requested before the list was cleared, and would bring rows back.
package struct StoredClearing: Hashable, Sendable {
    /// The name of the list, such as `users`.
    package var list: String
    package var count: Int64
    /// When it was last cleared.
    package var clearedAt: Timestamp

    package init(list: String, count: Int64, clearedAt: Timestamp) {
        self.list = list
        self.count = count
        self.clearedAt = clearedAt
    }
}

extension StoredClearing: StoredRecord {
    static let list = RowColumn<String>(0, "list")
    static let count = RowColumn<Int64>(1, "clear_count")
    static let clearedAt = RowColumn<Timestamp>(2, "cleared_at_ms")

    package static let collection = CollectionSchema(
        "clearings", key: list.position, fields: [list.field, count.field, clearedAt.field])

    package init(_ row: borrowing RowView) {
        self.init(list: row[Self.list], count: row[Self.count], clearedAt: row[Self.clearedAt])
    }

    package func write(to row: inout RowBuilder) {
        row[Self.list] = list
        row[Self.count] = count
        row[Self.clearedAt] = clearedAt
    }
}
