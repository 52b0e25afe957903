package import PatchbayCore

/// A former handle under which a source still finds a row, such as the login of an account before it was renamed.
///
/// A row is looked up by its present handle first, so a former handle matters only while no other row has it.
package struct StoredFormerHandle: Hashable, Sendable {
    /// The name of the resource's collection.
    package var collection = ""
    /// The former handle, with A to Z as a to z.
    package var handle = ""
    /// The key of the row, as ``KeyText`` writes it.
    package var keyText = ""
    /// When the source last returned the row for the handle.
    package var notedAt = Timestamp(milliseconds: 0)

    /// Former handles beyond this number are deleted, the oldest first.
    package static let countMax = 10_000
    /// Longer handles are not stored.
    package static let handleBytesMax = 300

    package init() {}

    /// Nil for a handle that is longer than ``handleBytesMax``.
    package init?(_ handle: String, of item: Item, notedAt: Timestamp) {
        guard let folded = Self.folded(handle) else { return nil }
        collection = item.resource.collection.name
        self.handle = folded
        keyText = item.keyText
        self.notedAt = notedAt
    }

    /// The key of a handle; nil where ``init(_:of:notedAt:)`` returns nil.
    package static func key(_ handle: String, of resource: Resource) -> Key? {
        folded(handle).map { [.text(resource.collection.name), .text($0)] }
    }

    package var key: Key { [.text(collection), .text(handle)] }

    private static func folded(_ handle: String) -> String? {
        guard handle.utf8.count <= handleBytesMax else { return nil }
        return String(decoding: handle.utf8.map(\.caseFolded), as: UTF8.self)
    }
}

extension StoredFormerHandle: ColumnRecord {
    static let resource: RecordColumn<Self> = RecordColumn(0, "collection", \Self.collection)
    static let handle = RecordColumn(1, "handle", \Self.handle)
    static let keyText = RecordColumn(2, "row_key", \Self.keyText)
    static let notedAt = RecordColumn(3, "noted_at_ms", \Self.notedAt)

    package static let columns = [resource, handle, keyText, notedAt]

    package static let byTime = Index("by_time", .exact(notedAt.position))

    package static let collection = CollectionSchema(
        "former_handles", key: resource.position, handle.position, indexes: [byTime], fields: fields)
}
