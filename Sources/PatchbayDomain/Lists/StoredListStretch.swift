package import PatchbayCore

/// A stretch of an ordered list that was fetched as one page, stored in the same transaction as its rows.
///
/// It records that no row is missing between ``after`` and ``end``, and how the list continues. Lists without an order
/// are stored as ``StoredListPage``.
package struct StoredListStretch: Hashable, Sendable {
    /// The name of the list, such as `github_users`.
    package var list = ""
    /// The stretch contains the rows with greater values of the list's order.
    package var after: Int64 = 0
    /// The value of its last row; at the end of the list, the greatest value there is.
    package var end: Int64 = 0
    /// The link to the page after it; nil at the end of the list.
    package var next: String?
    package var validator = Validator()
    /// Whether the page contained the maximum number of rows.
    package var isFull = false
    package var fetchedAt = Timestamp(milliseconds: 0)
    /// The source's own time of the answer (`Date`); nil when it did not report one.
    package var answeredAt: Timestamp?
    /// Why rows of the page, or after it, may be missing (``Shortfall/stored``); nil when none are.
    package var incomplete: String?
    /// ``StoredListPage/changeNumber``.
    package var changeNumber: Int64?
    /// The number of stored rows in the stretch when it was saved, including those that are no longer listed. Nil in a
    /// copy.
    package var rowCount: Int64?

    package init() {}

    package init(list: String, after: Int64, end: Int64, fetchedAt: Timestamp) {
        self.list = list
        self.after = after
        self.end = end
        self.fetchedAt = fetchedAt
    }
}

extension StoredListStretch: ColumnRecord {
    static let list = RecordColumn(0, "list", \Self.list)
    static let after = RecordColumn(1, "after_value", \Self.after)
    static let end = RecordColumn(2, "end_value", \Self.end)
    static let next = RecordColumn(3, "next", \Self.next)
    static let entityTag = RecordColumn(4, "etag", \Self.validator.entityTag)
    static let lastModified = RecordColumn(5, "last_modified", \Self.validator.lastModified)
    static let partition = RecordColumn(6, "partition", \Self.validator.partition)
    static let isFull = RecordColumn(7, "is_full", \Self.isFull)
    static let fetchedAt = RecordColumn(8, "fetched_at_ms", \Self.fetchedAt)

    static let answeredAt = RecordColumn(9, "answered_at_ms", \Self.answeredAt)
    static let incomplete = RecordColumn(10, "incomplete", \Self.incomplete)
    static let changeNumber = RecordColumn(11, "change_number", \Self.changeNumber, isOwnStorage: true)
    static let rowCount = RecordColumn(12, "row_count", \Self.rowCount, isOwnStorage: true)

    package static let columns = [
        list, after, end, next, entityTag, lastModified, partition, isFull, fetchedAt, answeredAt, incomplete,
        changeNumber, rowCount,
    ]

    package static let collection = CollectionSchema(
        "list_stretches", key: list.position, after.position, fields: fields)
}
