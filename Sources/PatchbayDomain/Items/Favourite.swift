public import PatchbayCore
import PatchbayJSON

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

extension Favourite {
    /// A favourite with a copy of an item.
    package init(of item: Item, addedAt: Timestamp) {
        var writer = JSONWriter()
        writer.beginObject()
        for field in item.resource.fields {
            guard let value = item[field] else { continue }
            writer.key(field.declaration.column)
            writer.value(value)
        }
        for field in item.resource.editable {
            guard let edit = item.override(of: field) else { continue }
            writer.key(field.overrideColumn)
            writer.string(edit)
        }
        writer.endObject()
        self.init(item, fields: String(decoding: writer.bytes, as: UTF8.self), addedAt: addedAt)
    }

    /// The row as it was when it was marked.
    ///
    /// - Returns: nil for a favourite of another resource, or one without a key, which another program wrote.
    public func item(of resource: Resource) -> Item? {
        guard row.collection == resource.collection.name,
            let object = CodedValue(json: fields)?.object
        else { return nil }
        var builder = ItemBuilder()
        builder.begin(resource)
        for field in resource.fields { builder.set(field, object[field.declaration.column], of: field.type) }
        // A copy that another program wrote may contain values that cannot be stored.
        guard let item = try? builder.finish() else { return nil }
        var packing = ItemPacking(item, over: nil, state: ItemState(fetchedAt: addedAt))
        for field in resource.editable {
            if case .string(let edit) = object[field.overrideColumn] { packing.edits[field.name] = edit }
        }
        return try? packing.packed()
    }
}

extension ItemPacking {
    /// The packed row as an item.
    fileprivate func packed() throws -> Item {
        var builder = RowBuilder()
        write(to: &builder)
        return Item(try builder.finish(), of: item.resource)
    }
}

extension ResourceField {
    fileprivate var overrideColumn: String { name + "_override" }
}

extension JSONWriter {
    /// Writes a value in its column form: a time in milliseconds, JSON as text.
    fileprivate mutating func value(_ value: ItemValue) {
        switch value {
        case .text(let text), .json(let text): string(text)
        case .integer(let number): integer(number)
        case .real(let number): number.isFinite ? real(number) : null()
        case .boolean(let isTrue): bool(isTrue)
        case .time(let time): integer(time.milliseconds)
        }
    }
}

extension ItemBuilder {
    /// Sets what ``JSONWriter/value(_:)`` wrote; null for anything else.
    fileprivate mutating func set(_ field: ResourceField, _ value: CodedValue?, of type: ValueType) {
        switch (type, value) {
        case (.text, .string(let text)), (.json, .string(let text)): set(field, text)
        case (.integer, .integer(let number)), (.time, .integer(let number)): set(field, number)
        case (.real, .real(let number)): set(field, number)
        case (.real, .integer(let number)): set(field, Double(number))
        case (.boolean, .bool(let isTrue)): set(field, isTrue ? 1 : 0 as Int64)
        default: setNull(field)
        }
    }
}
