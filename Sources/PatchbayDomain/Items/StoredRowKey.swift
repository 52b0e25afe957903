package import PatchbayCore

/// The key of a row as other collections refer to it: the name of the row's collection and the text of its key
/// (``KeyText``). A text too long for an index is replaced by its beginning and its digest.
package struct StoredRowKey: Hashable, Sendable {
    /// ``Resource/collection``'s name.
    package var collection = ""
    package var text = ""

    /// The maximum length of ``text``, which leaves room for a title and a handle in an index entry.
    package static let bytesMax = 120

    /// The key of no row.
    package init() {}

    package init(_ key: Key, of resource: Resource) { self.init(key, in: resource.collection) }

    /// - Parameter collection: that of a resource.
    package init(_ key: Key, in collection: CollectionSchema) {
        let text = KeyText(key).text
        self.collection = collection.name
        // A key's text contains no white space, so a shortened text equals no other.
        self.text =
            text.utf8.count <= Self.bytesMax
            ? text : "\(text.beginning(bytesMax: Self.bytesMax - 33)) \(TextDigest(of: text))"
    }

    /// Reads the key from a row of a collection that begins with ``RowKeyColumns``.
    package init(_ row: borrowing RowView) {
        collection = row[RowKeyColumns.collection]
        text = row[RowKeyColumns.text]
    }

    /// The key of a collection that is keyed by a row.
    package var key: Key { key() }

    /// The key of a collection that is keyed by a row and further columns.
    package func key(_ more: Key...) -> Key { .compound([.text(collection), .text(text)] + more) }

    /// Whether the row comes before another one in a collection that is keyed by rows.
    package func precedes(_ other: StoredRowKey) -> Bool {
        collection == other.collection
            ? text.utf8.lexicographicallyPrecedes(other.text.utf8)
            : collection.utf8.lexicographicallyPrecedes(other.collection.utf8)
    }
}

extension Item {
    /// The key by which other collections refer to the row.
    package var rowKey: StoredRowKey { StoredRowKey(key, of: resource) }
}

/// The two columns of a row key at the start of a collection.
enum RowKeyColumns {
    static let collection = RowColumn<String>(0, "collection")
    static let text = RowColumn<String>(1, "row_key")
    static let positions = FieldSet(positions: [collection.position, text.position])

    static func write(_ key: StoredRowKey, to row: inout RowBuilder) {
        row[collection] = key.collection
        row[text] = key.text
    }
}
