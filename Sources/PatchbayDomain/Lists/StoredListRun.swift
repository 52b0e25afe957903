package import PatchbayCore

/// The progress of fetching a list: its cursor, stored in the same transaction as the rows of its last page.
///
/// A run that was interrupted at any moment resumes from here. No page is lost, and none is fetched twice after its
/// commit.
package struct StoredListRun: Hashable, Sendable {
    /// The name of the list, such as `users`.
    package var list: String
    /// The query and the source's identity. A cursor is valid only for the same query.
    package var query: String
    /// The position of the next page: the id before it in the list of users, its index in other lists.
    package var position: Int64
    /// The link to the next page; nil at the start, and when the position is enough.
    package var next: String?
    /// The number of pages this run has saved.
    package var pages: Int64
    package var rows: Int64
    /// The number of pages according to the source.
    package var pageCount: Int64?
    package var startedAt: Timestamp
    /// When the end of the list was reached; nil until then.
    package var finishedAt: Timestamp?
    /// The value from which this run requests rows (``ResourceDeclaration/since``); nil when it requests the whole
    /// list.
    package var since: String?
    /// The newest value of the rows so far, including those of earlier runs. Once this run has finished, the next one
    /// requests rows from here.
    package var newest: String?

    package init(list: String, query: String, startedAt: Timestamp) {
        self.list = list
        self.query = query
        self.position = 0
        self.pages = 0
        self.rows = 0
        self.startedAt = startedAt
    }
}

extension StoredListRun: StoredRecord {
    static let list = RowColumn<String>(0, "list")
    static let query = RowColumn<String>(1, "query")
    static let position = RowColumn<Int64>(2, "position")
    static let next = RowColumn<String?>(3, "next")
    static let pages = RowColumn<Int64>(4, "pages")
    static let rows = RowColumn<Int64>(5, "row_count")
    static let pageCount = RowColumn<Int64?>(6, "page_count")
    static let startedAt = RowColumn<Timestamp>(7, "started_at_ms")
    static let finishedAt = RowColumn<Timestamp?>(8, "finished_at_ms")
    static let since = RowColumn<String?>(9, "since")
    static let newest = RowColumn<String?>(10, "newest")

    package static let collection = CollectionSchema(
        "list_runs", key: list.position,
        fields: [
            list.field, query.field, position.field, next.field, pages.field, rows.field, pageCount.field,
            startedAt.field, finishedAt.field, since.field, newest.field,
        ])

    package init(_ row: borrowing RowView) {
        self.init(list: row[Self.list], query: row[Self.query], startedAt: row[Self.startedAt])
        position = row[Self.position]
        next = row[Self.next]
        pages = row[Self.pages]
        rows = row[Self.rows]
        pageCount = row[Self.pageCount]
        finishedAt = row[Self.finishedAt]
        since = row[Self.since]
        newest = row[Self.newest]
    }

    package func write(to row: inout RowBuilder) {
        row[Self.list] = list
        row[Self.query] = query
        row[Self.position] = position
        row[Self.next] = next
        row[Self.pages] = pages
        row[Self.rows] = rows
        row[Self.pageCount] = pageCount
        row[Self.startedAt] = startedAt
        row[Self.finishedAt] = finishedAt
        row[Self.since] = since
        row[Self.newest] = newest
    }
}
