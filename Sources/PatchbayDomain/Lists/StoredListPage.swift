package import PatchbayCore

/// A page of a list whose pages are known only by the links between them, stored in the same transaction as its rows.
///
/// A list ordered by a number is stored as stretches instead, because a window may begin anywhere in it
/// (``StoredListStretch``).
package struct StoredListPage: Hashable, Sendable {
    /// The name of the list, such as `repositories of user octocat`.
    package var list = ""
    /// The page's place in the list, from 0.
    package var position: Int64 = 0
    /// The link that requested it; nil for the first page. The validator belongs to this address.
    package var link: String?
    /// The link to the next page; nil at the end of the list.
    package var next: String?
    /// The keys of the rows in the order of the list.
    package var keys: [KeyText] = []
    package var isFull = false
    package var pageCount: Int64?
    package var validator = Validator()
    package var fetchedAt = Timestamp(milliseconds: 0)
    /// The source's own time of the answer (`Date`); nil when it did not report one.
    package var answeredAt: Timestamp?
    /// Why rows of the page, or after it, may be missing (``Shortfall/stored``); nil when none are.
    package var incomplete: String?
    /// The last change number when the page was saved: a row with a greater one may no longer be as the page returned
    /// it. Nil in a copy.
    package var changeNumber: Int64?

    package init() {}

    package init(list: String, position: Int64, link: String?, fetchedAt: Timestamp) {
        self.list = list
        self.position = position
        self.link = link
        self.fetchedAt = fetchedAt
    }
}

extension StoredListPage: ColumnRecord {
    /// ``keys`` in one text.
    private var keyTexts: String {
        get { keys.map(\.text).joined(separator: " ") }
        set { keys = DefinitionWords.split(newValue).map(KeyText.init(stored:)) }
    }

    static let list = RecordColumn(0, "list", \Self.list)
    static let position = RecordColumn(1, "position", \Self.position)
    static let link = RecordColumn(2, "link", \Self.link)
    static let next = RecordColumn(3, "next", \Self.next)
    static let keys = RecordColumn(4, "row_keys", \Self.keyTexts)
    static let isFull = RecordColumn(5, "is_full", \Self.isFull)
    static let pageCount = RecordColumn(6, "page_count", count: \Self.pageCount)
    static let entityTag = RecordColumn(7, "etag", \Self.validator.entityTag)
    static let lastModified = RecordColumn(8, "last_modified", \Self.validator.lastModified)
    static let partition = RecordColumn(9, "partition", \Self.validator.partition)
    static let fetchedAt = RecordColumn(10, "fetched_at_ms", \Self.fetchedAt)

    static let answeredAt = RecordColumn(11, "answered_at_ms", \Self.answeredAt)
    static let incomplete = RecordColumn(12, "incomplete", \Self.incomplete)
    static let changeNumber = RecordColumn(13, "change_number", \Self.changeNumber, isOwnStorage: true)

    package static let columns = [
        list, position, link, next, keys, isFull, pageCount, entityTag, lastModified, partition, fetchedAt,
        answeredAt, incomplete, changeNumber,
    ]

    package static let collection = CollectionSchema(
        "list_pages", key: list.position, position.position, fields: fields)

    /// The position of the keys of the page's rows.
    package static var keysPosition: Int { keys.position }

    /// All fields except the keys of the rows.
    package static let withoutKeys = FieldSet(
        positions: collection.fields.indices.filter { $0 != keys.position })
}
