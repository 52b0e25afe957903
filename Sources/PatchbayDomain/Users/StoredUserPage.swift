public import PatchbayCore

/// A stretch of the list of all users that was fetched as one page, kept in the same transaction as its users.
///
/// It tells that nothing is missing between `after` and `end`, and how the list goes on.
public struct StoredUserPage: Hashable, Sendable {
    /// The page holds the users with greater ids.
    public var after: Int64
    /// The last id of the page. At the end of the list it is the greatest there is.
    public var end: Int64
    /// How to ask for the page behind; nil at the end of the list.
    public var next: String?
    public var validator: Validator
    public var fetchedAt: Timestamp
    /// Whether the page held as many users as it may; nil when that was not noted.
    public var isFull: Bool?

    public init(
        after: Int64, end: Int64, next: String?, validator: Validator, fetchedAt: Timestamp,
        isFull: Bool? = nil
    ) {
        self.after = after
        self.end = end
        self.next = next
        self.validator = validator
        self.fetchedAt = fetchedAt
        self.isFull = isFull
    }
}

extension StoredUserPage: Record {
    static let after = Column<Int64>(0, "after_id")
    static let end = Column<Int64>(1, "end_id")
    static let next = Column<String?>(2, "next")
    static let entityTag = Column<String?>(3, "etag")
    static let lastModified = Column<String?>(4, "last_modified")
    static let fetchedAt = Column<Timestamp>(5, "fetched_at_ms")
    static let isFull = Column<Bool?>(6, "is_full")
    static let partition = Column<String?>(7, "partition")

    public static let collection = Collection(
        "user_pages", key: after.position,
        fields: [
            after.field, end.field, next.field, entityTag.field, lastModified.field, fetchedAt.field,
            isFull.field, partition.field,
        ])

    public init(_ row: borrowing Row) {
        self.init(
            after: row[Self.after], end: row[Self.end], next: row[Self.next],
            validator: Validator(
                entityTag: row[Self.entityTag], lastModified: row[Self.lastModified],
                partition: row[Self.partition]),
            fetchedAt: row[Self.fetchedAt], isFull: row[Self.isFull])
    }

    public func write(to row: inout RowBuilder) {
        row[Self.after] = after
        row[Self.end] = end
        row[Self.next] = next
        row[Self.entityTag] = validator.entityTag
        row[Self.lastModified] = validator.lastModified
        row[Self.fetchedAt] = fetchedAt
        row[Self.isFull] = isFull
        row[Self.partition] = validator.partition
    }
}
