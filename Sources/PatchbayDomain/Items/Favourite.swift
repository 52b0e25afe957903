public import PatchbayCore

/// A copy of a row that was marked as a favourite. It follows every change of the stored row.
///
/// It does not depend on the row itself: it remains when the resource is cleared or the source deletes the row.
public struct Favourite: Hashable, Sendable {
    package var row: StoredRowKey
    /// The name by which people refer to the row.
    public var handle: String
    /// The title: the edited one if the title was edited.
    public var title: String
    /// The declared fields and the edits as a JSON object whose keys are the names of the resource's columns.
    package var fields: String
    /// When the row was marked.
    public var addedAt: Timestamp

    init(_ item: Item, fields: String, addedAt: Timestamp) {
        row = item.rowKey
        handle = item.handle
        title = item.title
        self.fields = fields
        self.addedAt = addedAt
    }

    /// The beginning of the title, by which favourites are ordered: the first 200 bytes, in whole Unicode scalars.
    package var sortTitle: String { title.beginning(bytesMax: 200) }
}

extension Favourite: StoredRecord {
    static let handle = RowColumn<String>(2, "handle")
    static let sortTitle = RowColumn<String>(3, "sort_title")
    static let title = RowColumn<String>(4, "title")
    static let fields = RowColumn<String>(5, "fields")
    static let addedAt = RowColumn<Timestamp>(6, "added_at_ms")

    /// Titles in the order of the storage: by bytes, with A to Z as a to z.
    package static let byTitle = Index("by_title", .caseFolded(sortTitle.position))
    /// The same order among the favourites of one resource.
    package static let byResource = Index(
        "by_resource", .exact(RowKeyColumns.collection.position), .caseFolded(sortTitle.position))
    /// The favourites of one resource by handle, with A to Z as a to z.
    package static let byHandle = Index(
        "by_handle", .exact(RowKeyColumns.collection.position), .caseFolded(handle.position))

    /// The columns and indexes in a storage; the key is the row's collection and key.
    public static let collection = CollectionSchema(
        "favourite_items", key: RowKeyColumns.collection.position, RowKeyColumns.text.position,
        indexes: [byTitle, byResource, byHandle],
        fields: [
            RowKeyColumns.collection.field, RowKeyColumns.text.field, handle.field, sortTitle.field,
            title.field, fields.field, addedAt.field,
        ])

    /// The keys of the favourites from one row to another.
    package static func keys(from first: StoredRowKey, to last: StoredRowKey) -> Query {
        Query(
            collection, .between(.including(first.key), .including(last.key)),
            fields: RowKeyColumns.positions)
    }

    /// Reads a stored favourite.
    public init(_ row: borrowing RowView) {
        self.row = StoredRowKey(row)
        handle = row[Self.handle]
        title = row[Self.title]
        fields = row[Self.fields]
        addedAt = row[Self.addedAt]
    }

    /// Writes all columns.
    public func write(to row: inout RowBuilder) {
        RowKeyColumns.write(self.row, to: &row)
        row[Self.handle] = handle
        row[Self.sortTitle] = sortTitle
        row[Self.title] = title
        row[Self.fields] = fields
        row[Self.addedAt] = addedAt
    }
}
