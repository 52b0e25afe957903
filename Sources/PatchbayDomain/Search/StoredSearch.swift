package import PatchbayCore

/// What a source reported about a search besides its results, which are stored as pages of a list (``StoredListPage``).
package struct StoredSearch: Hashable, Sendable {
    /// The list that contains the results.
    package var list: String
    /// The number of results, whether returned or not; nil when the source did not report it.
    package var total: Int64?
    /// Whether the source ran out of time, so that some may be missing.
    package var isIncomplete: Bool
    /// The source's maximum number of results for one query, when the list ends because of it.
    package var cap: Int64?
    package var fetchedAt: Timestamp

    package init(list: String, fetchedAt: Timestamp) {
        self.list = list
        self.isIncomplete = false
        self.fetchedAt = fetchedAt
    }
}

extension StoredSearch: StoredRecord {
    static let list = RowColumn<String>(0, "list")
    static let total = RowColumn<Int64?>(1, "total")
    static let isIncomplete = RowColumn<Bool>(2, "is_incomplete")
    static let cap = RowColumn<Int64?>(3, "cap")
    static let fetchedAt = RowColumn<Timestamp>(4, "fetched_at_ms")

    package static let byTime = Index("by_time", .exact(fetchedAt.position))

    package static let collection = CollectionSchema(
        "searches", key: list.position, indexes: [byTime],
        fields: [list.field, total.field, isIncomplete.field, cap.field, fetchedAt.field])

    package init(_ row: borrowing RowView) {
        self.init(list: row[Self.list], fetchedAt: row[Self.fetchedAt])
        total = row[Self.total]
        isIncomplete = row[Self.isIncomplete]
        cap = row[Self.cap]
    }

    package func write(to row: inout RowBuilder) {
        row[Self.list] = list
        row[Self.total] = total
        row[Self.isIncomplete] = isIncomplete
        row[Self.cap] = cap
        row[Self.fetchedAt] = fetchedAt
    }
}
