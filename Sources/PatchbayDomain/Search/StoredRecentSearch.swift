public import PatchbayCore

/// A past search, for the list of recent ones.
public struct StoredRecentSearch: Hashable, Sendable {
    /// The collection that was searched.
    public var subject: String
    /// ``SearchText/key``.
    public var key: String
    /// The text as last typed (``SearchText/text``).
    public var text: String
    /// Increases with every search, so that the order does not change when a clock is set back.
    public var place: Int64
    /// When it was last searched.
    public var searchedAt: Timestamp

    /// Creates an entry for a search in the collection `subject`.
    public init(_ text: SearchText, for subject: String, place: Int64, searchedAt: Timestamp) {
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
    public static let byPlace = Index("by_place", .exact(place.position))

    /// The columns and the index in a storage; the key is the subject and the text's key.
    public static let collection = CollectionSchema(
        "recent_searches", key: subject.position, textKey.position, indexes: [byPlace],
        fields: [subject.field, textKey.field, text.field, place.field, searchedAt.field])

    /// The key in the storage (``SearchText/rowKey(for:)``).
    public var rowKey: Key { [.text(subject), .text(key)] }

    /// Reads a stored entry.
    public init(_ row: borrowing RowView) {
        subject = row[Self.subject]
        key = row[Self.textKey]
        text = row[Self.text]
        place = row[Self.place]
        searchedAt = row[Self.searchedAt]
    }

    /// Writes all columns.
    public func write(to row: inout RowBuilder) {
        row[Self.subject] = subject
        row[Self.textKey] = key
        row[Self.text] = text
        row[Self.place] = place
        row[Self.searchedAt] = searchedAt
    }
}
