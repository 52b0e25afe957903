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

/// A search that found nothing. While it is recent, the request is not sent again.
package struct StoredDeniedSearch: Hashable, Sendable {
    /// The collection that was searched.
    package var subject = ""
    /// ``SearchText/key``.
    package var key = ""
    /// The text as typed (``SearchText/text``).
    package var text = ""
    /// The source that found nothing (``Source/identity``); another source may find something.
    package var source = ""
    /// When the source found nothing.
    package var deniedAt = Timestamp(milliseconds: 0)

    package init() {}

    /// Creates a denial for a search in the collection `subject`.
    package init(_ text: SearchText, for subject: String, source: String, deniedAt: Timestamp) {
        self.subject = subject
        self.key = text.key
        self.text = text.text
        self.source = source
        self.deniedAt = deniedAt
    }

    /// Whether it is still valid. A denial from the future, written by a clock that was set back, is not.
    package func holds(at now: Timestamp, for lifetime: Duration) -> Bool {
        deniedAt.storedAge(at: now).map { $0 < lifetime } ?? false
    }
}

extension StoredDeniedSearch: ColumnRecord {
    static let subject = RecordColumn(0, "subject", \Self.subject)
    static let textKey = RecordColumn(1, "text_key", \Self.key)
    static let text = RecordColumn(2, "text", \Self.text)
    static let source = RecordColumn(3, "source", \Self.source)
    static let deniedAt = RecordColumn(4, "denied_at_ms", \Self.deniedAt)

    package static let columns = [subject, textKey, text, source, deniedAt]

    /// All denials, the oldest first.
    package static let byTime = Index("by_time", .exact(deniedAt.position))

    /// The columns and the index in a storage; the key is the subject and the text's key.
    package static let collection = CollectionSchema(
        "denied_searches", key: subject.position, textKey.position, indexes: [byTime],
        fields: fields)

    /// The key in the storage (``SearchText/rowKey(for:)``).
    package var rowKey: Key { [.text(subject), .text(key)] }
}

/// A past search, for the list of recent ones.
package struct StoredRecentSearch: Hashable, Sendable {
    /// The collection that was searched.
    package var subject = ""
    /// ``SearchText/key``.
    package var key = ""
    /// The text as last typed (``SearchText/text``).
    package var text = ""
    /// Increases with every search, so that the order does not change when a clock is set back.
    package var place: Int64 = 0
    /// When it was last searched.
    package var searchedAt = Timestamp(milliseconds: 0)

    package init() {}

    /// Creates an entry for a search in the collection `subject`.
    package init(_ text: SearchText, for subject: String, place: Int64, searchedAt: Timestamp) {
        self.subject = subject
        self.key = text.key
        self.text = text.text
        self.place = place
        self.searchedAt = searchedAt
    }
}

extension StoredRecentSearch: ColumnRecord {
    static let subject = RecordColumn(0, "subject", \Self.subject)
    static let textKey = RecordColumn(1, "text_key", \Self.key)
    static let text = RecordColumn(2, "text", \Self.text)
    static let place = RecordColumn(3, "place", count: \Self.place)
    static let searchedAt = RecordColumn(4, "searched_at_ms", \Self.searchedAt)

    package static let columns = [subject, textKey, text, place, searchedAt]

    /// All entries, the least recent first.
    package static let byPlace = Index("by_place", .exact(place.position))

    /// The columns and the index in a storage; the key is the subject and the text's key.
    package static let collection = CollectionSchema(
        "recent_searches", key: subject.position, textKey.position, indexes: [byPlace],
        fields: fields)

    /// The key in the storage (``SearchText/rowKey(for:)``).
    package var rowKey: Key { [.text(subject), .text(key)] }
}
