package import PatchbayCore

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
