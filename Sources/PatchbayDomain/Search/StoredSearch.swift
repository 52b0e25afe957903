package import PatchbayCore

/// What a source reported about a search besides its results, which are stored as pages of a list (``StoredListPage``).
package struct StoredSearch: Hashable, Sendable {
    /// The list that contains the results.
    package var list = ""
    /// The number of results, whether returned or not; nil when the source did not report it.
    package var total: Int64?
    /// Whether the source ran out of time, so that some may be missing.
    package var isIncomplete = false
    /// The source's maximum number of results for one query, when the list ends because of it.
    package var cap: Int64?
    package var fetchedAt = Timestamp(milliseconds: 0)

    package init() {}

    package init(list: String, fetchedAt: Timestamp) {
        self.list = list
        self.fetchedAt = fetchedAt
    }
}

extension StoredSearch: ColumnRecord {
    static let list = RecordColumn(0, "list", \Self.list)
    static let total = RecordColumn(1, "total", count: \Self.total)
    static let isIncomplete = RecordColumn(2, "is_incomplete", \Self.isIncomplete)
    static let cap = RecordColumn(3, "cap", count: \Self.cap)
    static let fetchedAt = RecordColumn(4, "fetched_at_ms", \Self.fetchedAt)

    package static let columns = [list, total, isIncomplete, cap, fetchedAt]

    package static let byTime = Index("by_time", .exact(fetchedAt.position))

    package static let collection = CollectionSchema(
        "searches", key: list.position, indexes: [byTime], fields: fields)
}
