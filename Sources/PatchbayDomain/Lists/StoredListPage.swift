package import PatchbayCore

/// A page of a list whose pages are known only by the links between them, stored in the same transaction as its rows.
///
/// A list ordered by a number is stored as stretches instead, because a window may begin anywhere in it
/// (``StoredListStretch``).
package struct StoredListPage: Hashable, Sendable {
    /// The name of the list, such as `repositories of user octocat`.
    package var list: String
    /// The page's place in the list, from 0.
    package var position: Int64
    /// The link that requested it; nil for the first page. The validator belongs to this address.
    package var link: String?
    /// The link to the next page; nil at the end of the list.
    package var next: String?
    /// The keys of the rows in the order of the list, as text.
    package var keys: [String]
    package var isFull: Bool
    package var pageCount: Int64?
    package var validator: Validator
    package var fetchedAt: Timestamp

    package init(list: String, position: Int64, link: String?, fetchedAt: Timestamp) {
        self.list = list
        self.position = position
        self.link = link
        self.keys = []
        self.isFull = false
        self.validator = Validator()
        self.fetchedAt = fetchedAt
    }
}

extension StoredListPage: StoredRecord {
    static let list = RowColumn<String>(0, "list")
    static let position = RowColumn<Int64>(1, "position")
    static let link = RowColumn<String?>(2, "link")
    static let next = RowColumn<String?>(3, "next")
    static let keys = RowColumn<String>(4, "row_keys")
    static let isFull = RowColumn<Bool>(5, "is_full")
    static let pageCount = RowColumn<Int64?>(6, "page_count")
    static let entityTag = RowColumn<String?>(7, "etag")
    static let lastModified = RowColumn<String?>(8, "last_modified")
    static let partition = RowColumn<String?>(9, "partition")
    static let fetchedAt = RowColumn<Timestamp>(10, "fetched_at_ms")

    package static let collection = CollectionSchema(
        "list_pages", key: list.position, position.position,
        fields: [
            list.field, position.field, link.field, next.field, keys.field, isFull.field, pageCount.field,
            entityTag.field, lastModified.field, partition.field, fetchedAt.field,
        ])

    /// All fields except the keys of the rows.
    package static let withoutKeys = FieldSet(
        positions: collection.fields.indices.filter { $0 != keys.position })

    package init(_ row: borrowing RowView) {
        self.init(
            list: row[Self.list], position: row[Self.position], link: row[Self.link],
            fetchedAt: row[Self.fetchedAt])
        next = row[Self.next]
        keys = row[Self.keys].split(separator: " ").map(String.init)
        isFull = row[Self.isFull]
        pageCount = row[Self.pageCount]
        validator = Validator(
            entityTag: row[Self.entityTag], lastModified: row[Self.lastModified],
            partition: row[Self.partition])
    }

    package func write(to row: inout RowBuilder) {
        row[Self.list] = list
        row[Self.position] = position
        row[Self.link] = link
        row[Self.next] = next
        row[Self.keys] = keys.joined(separator: " ")
        row[Self.isFull] = isFull
        row[Self.pageCount] = pageCount
        row[Self.entityTag] = validator.entityTag
        row[Self.lastModified] = validator.lastModified
        row[Self.partition] = validator.partition
        row[Self.fetchedAt] = fetchedAt
    }
}
