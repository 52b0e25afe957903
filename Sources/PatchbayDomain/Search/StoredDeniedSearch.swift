package import PatchbayCore

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
        deniedAt <= now && deniedAt.age(at: now) < lifetime
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
