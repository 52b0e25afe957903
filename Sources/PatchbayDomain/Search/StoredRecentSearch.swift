package import PatchbayCore

/// A past search, for the list of recent ones.
package struct StoredRecentSearch: Hashable, Sendable {
    /// The collection that was searched.
    package var subject: String
    /// ``SearchText/key``.
    package var key: String
    /// The text as last typed (``SearchText/text``).
    package var text: String
    /// Increases with every search, so that the order does not change when a clock is set back.
    package var place: Int64
    /// When it was last searched.
    package var searchedAt: Timestamp

    /// Creates an entry for a search in the collection `subject`.
    package init(_ text: SearchText, for subject: String, place: Int64, searchedAt: Timestamp) {
        self.subject = subject
        self.key = text.key
        self.text = text.text
        self.place = place
        self.searchedAt = searchedAt
    }
}

extension StoredRecentSearch: StoredRecord {
    static let subject = RowColumn<String>(0, "subject")
    static let textKey = RowColumn<String>(1, "text_key")
    static let text = RowColumn<String>(2, "text")
    static let place = RowColumn<Int64>(3, "place")
    static let searchedAt = RowColumn<Timestamp>(4, "searched_at_ms")

    /// All entries, the least recent first.
    package static let byPlace = Index("by_place", .exact(place.position))

    /// The columns and the index in a storage; the key is the subject and the text's key.
    package static let collection = CollectionSchema(
        "recent_searches", key: subject.position, textKey.position, indexes: [byPlace],
        fields: [subject.field, textKey.field, text.field, place.field, searchedAt.field])

    /// The key in the storage (``SearchText/rowKey(for:)``).
    package var rowKey: Key { [.text(subject), .text(key)] }

    /// Reads a stored entry.
    package init(_ row: borrowing RowView) {
        subject = row[Self.subject]
        key = row[Self.textKey]
        text = row[Self.text]
        place = row[Self.place]
        searchedAt = row[Self.searchedAt]
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        row[Self.subject] = subject
        row[Self.textKey] = key
        row[Self.text] = text
        row[Self.place] = place
        row[Self.searchedAt] = searchedAt
    }
}
