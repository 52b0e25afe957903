package import PatchbayCore

/// A search that found nothing. While it is recent, the request is not sent again.
package struct StoredDeniedSearch: Hashable, Sendable {
    /// The collection that was searched.
    package var subject: String
    /// ``SearchText/key``.
    package var key: String
    /// The text as typed (``SearchText/text``).
    package var text: String
    /// The source that found nothing (``Source/identity``); another source may find something.
    package var source: String
    /// When the source found nothing.
    package var deniedAt: Timestamp

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
        deniedAt <= now && deniedAt.age(at: now) < lifetime
    }
}

extension StoredDeniedSearch: StoredRecord {
    static let subject = RowColumn<String>(0, "subject")
    static let textKey = RowColumn<String>(1, "text_key")
    static let text = RowColumn<String>(2, "text")
    static let source = RowColumn<String>(3, "source")
    static let deniedAt = RowColumn<Timestamp>(4, "denied_at_ms")

    /// All denials, the oldest first.
    package static let byTime = Index("by_time", .exact(deniedAt.position))

    /// The columns and the index in a storage; the key is the subject and the text's key.
    package static let collection = CollectionSchema(
        "denied_searches", key: subject.position, textKey.position, indexes: [byTime],
        fields: [subject.field, textKey.field, text.field, source.field, deniedAt.field])

    /// The key in the storage (``SearchText/rowKey(for:)``).
    package var rowKey: Key { [.text(subject), .text(key)] }

    /// Reads a stored denial.
    package init(_ row: borrowing RowView) {
        subject = row[Self.subject]
        key = row[Self.textKey]
        text = row[Self.text]
        source = row[Self.source]
        deniedAt = row[Self.deniedAt]
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        row[Self.subject] = subject
        row[Self.textKey] = key
        row[Self.text] = text
        row[Self.source] = source
        row[Self.deniedAt] = deniedAt
    }
}
