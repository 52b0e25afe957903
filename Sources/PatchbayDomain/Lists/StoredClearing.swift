package import PatchbayCore

/// The number of times a list was cleared.
///
/// A use case reads it before a request, and again in the transaction that saves the answer. When it has changed, the
/// answer is discarded: it was requested before the list was cleared, and would bring rows back.
package struct StoredClearing: Hashable, Sendable {
    /// The name of the list, such as `users`.
    package var list = ""
    package var count: Int64 = 0
    /// When it was last cleared.
    package var clearedAt = Timestamp(milliseconds: 0)
    /// The change number of the last clear. Rows of a reader that has seen only earlier changes are void.
    package var changeNumber: Int64?

    package init() {}

    package init(list: String, count: Int64, clearedAt: Timestamp, changeNumber: Int64? = nil) {
        self.list = list
        self.count = count
        self.clearedAt = clearedAt
        self.changeNumber = changeNumber
    }
}

extension StoredClearing: ColumnRecord {
    static let list = RecordColumn(0, "list", \Self.list)
    static let count = RecordColumn(1, "clear_count", count: \Self.count)
    static let clearedAt = RecordColumn(2, "cleared_at_ms", \Self.clearedAt)

    static let changeNumber = RecordColumn(3, "change_number", \Self.changeNumber, isOwnStorage: true)

    package static let columns = [list, count, clearedAt, changeNumber]

    package static let collection = CollectionSchema("clearings", key: list.position, fields: fields)
}
