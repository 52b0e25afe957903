package import PatchbayCore

/// A stretch of an ordered list that was fetched as one page, stored in the same transaction as its rows.
///
/// It records that no row is missing between ``after`` and ``end``, and how the list continues. Lists without an order
/// are stored as ``StoredListPage``.
package struct StoredListStretch: Hashable, Sendable {
    /// The name of the list, such as `github_users`.
    package var list: String
    /// The stretch contains the rows with greater values of the list's order.
    package var after: Int64
    /// The value of its last row; at the end of the list, the greatest value there is.
    package var end: Int64
    /// The link to the page after it; nil at the end of the list.
    package var next: String?
    package var validator: Validator
    /// Whether the page contained the maximum number of rows.
    package var isFull: Bool
    package var fetchedAt: Timestamp

    package init(list: String, after: Int64, end: Int64, fetchedAt: Timestamp) {
        self.list = list
        self.after = after
        self.end = end
        validator = Validator()
        isFull = false
        self.fetchedAt = fetchedAt
    }
}

extension StoredListStretch: StoredRecord {
    static let list = RowColumn<String>(0, "list")
    static let after = RowColumn<Int64>(1, "after_value")
    static let end = RowColumn<Int64>(2, "end_value")
    static let next = RowColumn<String?>(3, "next")
    static let entityTag = RowColumn<String?>(4, "etag")
    static let lastModified = RowColumn<String?>(5, "last_modified")
    static let partition = RowColumn<String?>(6, "partition")
    static let isFull = RowColumn<Bool>(7, "is_full")
    static let fetchedAt = RowColumn<Timestamp>(8, "fetched_at_ms")

    package static let collection = CollectionSchema(
        "list_stretches", key: list.position, after.position,
        fields: [
            list.field, after.field, end.field, next.field, entityTag.field, lastModified.field,
            partition.field,
            isFull.field, fetchedAt.field,
        ])

    package init(_ row: borrowing RowView) {
        self.init(
            list: row[Self.list], after: row[Self.after], end: row[Self.end], fetchedAt: row[Self.fetchedAt])
        next = row[Self.next]
        isFull = row[Self.isFull]
        validator = Validator(
            entityTag: row[Self.entityTag], lastModified: row[Self.lastModified],
            partition: row[Self.partition])
    }

    package func write(to row: inout RowBuilder) {
        row[Self.list] = list
        row[Self.after] = after
        row[Self.end] = end
        row[Self.next] = next
        row[Self.entityTag] = validator.entityTag
        row[Self.lastModified] = validator.lastModified
        row[Self.partition] = validator.partition
        row[Self.isFull] = isFull
        row[Self.fetchedAt] = fetchedAt
    }
}
