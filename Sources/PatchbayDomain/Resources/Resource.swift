public import PatchbayCore

/// A collection of rows that a source can list, show or search, with its columns in a storage.
///
/// A gateway creates each resource once and passes it around by reference. Its collection is `API_NAME`. The collection
/// has, in this order, the gateway's notes about a row (``ItemState``), the declared fields, and for some fields a
/// second column:
///
/// - `F_override` contains the local edit (`NAME.edit` in the definition).
/// - `F_folded` contains the first 200 bytes of the shown value, case-folded, for local search
///   (`NAME.title`). It is empty for a missing value, and null in rows that another program wrote.
///
/// Columns keep the order in which they were first stored, so a definition may add fields anywhere.
public final class Resource: Sendable {
    /// The `api` of the definition, or the word that a configuration sets instead.
    public let api: String
    /// The definition of the resource.
    package let declaration: ResourceDeclaration
    /// The columns, key and indexes of its rows in a storage.
    public let collection: CollectionSchema
    /// In the order of the definition.
    public let fields: [ResourceField]
    /// The fields that identify a row, in the order of the key.
    public let key: [ResourceField]
    /// The field by which people refer to a row; the key when no other is declared and the key is one field.
    public let handle: ResourceField?
    /// The fields that name a row for people, the preferred one first.
    public let title: [ResourceField]
    /// The fields that may be overridden locally.
    public let editable: [ResourceField]
    /// The integer field in whose ascending order lists come; nil when lists have no such order.
    public let order: ResourceField?
    /// The index that finds a row by its handle; nil when the handle is the key.
    package let handleIndex: Index?
    /// The columns of ``fields``, without references to count when many rows are read.
    let columns: [(position: Int, type: ValueType)]
    /// The columns of local edits by the names of their fields. Those of fields that may no longer be edited are kept,
    /// but not shown, until the definition allows the edits again.
    package let edits: [(field: String, position: Int)]
    /// The columns of former fields, and of those that only another definition of the resource has, which may write to
    /// the same storage. A write keeps them, because the source would confirm them as unchanged.
    let undeclared: [(position: Int, type: FieldType)]
    /// The position of ``ItemState/missingSince``.
    package let missingSincePosition: Int
    package let changeNumberPosition: Int
    /// The position of ``ItemState/LaterColumn/listedNumber``.
    package let listedNumberPosition: Int
    /// The indexes that clients may name; all of the collection's, unless the resource is a view.
    package let indexes: [Index]
    /// Whether this is what a client with fewer rights sees of another resource (``view(_:)``).
    package let isView: Bool
    private let positions: [String: Int]

    /// The number of bytes of a title in the index of a local search.
    package static let foldedBytesMax = 200

    /// - Parameter stored: the collection as it is stored; nil when it is new.
    /// - Throws: `unsupported` when a stored field or the key now has another type or place; `invalidConfiguration` for
    ///   a declaration that cannot be stored.
    package convenience init(
        _ declaration: ResourceDeclaration, api: String, stored: CollectionSchema? = nil
    ) throws {
        let layout = ResourceLayout(declaration, api: api)
        let collection = try layout.collection(following: stored)
        self.init(
            declaration, api: api, collection, handleIndex: layout.handleIndexName.flatMap(collection.index))
    }

    /// - Parameter visible: the indexes of a view; nil for a resource that is none.
    init(
        _ declaration: ResourceDeclaration, api: String, _ collection: CollectionSchema, handleIndex: Index?,
        visible: [Index]? = nil
    ) {
        let places = Dictionary(
            uniqueKeysWithValues: collection.fields.enumerated().map { ($0.element.name, $0.offset) })
        let fields = declaration.fields.enumerated().map { place, field in
            ResourceField(
                declaration: field, place: place, position: places[field.column]!,
                overridePosition: declaration.editable.contains(field.name)
                    ? places[field.name + ResourceLayout.overrideSuffix] : nil,
                foldedPosition: places[field.name + ResourceLayout.foldedSuffix])
        }
        func field(_ name: String) -> ResourceField? { fields.first { $0.name == name } }
        self.api = api
        self.declaration = declaration
        self.collection = collection
        self.fields = fields
        key = declaration.key.compactMap(field)
        handle = declaration.handle.map { field($0.field) } ?? (key.count == 1 ? key[0] : nil)
        title = declaration.title.compactMap(field)
        editable = declaration.editable.compactMap(field)
        order = declaration.order.flatMap(field)
        self.handleIndex = handleIndex
        indexes = visible ?? collection.indexes
        isView = visible != nil
        columns = fields.map { ($0.position, $0.type) }
        // A declared field may be called like the edits of another one.
        let known = Set(fields.map(\.position))
        edits = collection.edits.filter { !known.contains($0.position) }
        let declared = known.union(edits.map(\.position))
        undeclared = collection.fields.enumerated().compactMap { position, field in
            declared.contains(position) || ItemState.names.contains(field.name)
                || field.name.hasSuffix(ResourceLayout.foldedSuffix) ? nil : (position, field.type)
        }
        missingSincePosition = places[ItemState.LaterColumn.missingSince.rawValue]!
        changeNumberPosition = places[ItemState.LaterColumn.changeNumber.rawValue]!
        listedNumberPosition = places[ItemState.LaterColumn.listedNumber.rawValue]!
        positions = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0.place) })
    }

    /// The word in commands: `repos`.
    public var name: String { declaration.name }

    /// The name of one row in messages.
    public var singular: String { declaration.singular }

    /// The name of several rows in messages.
    public var plural: String { declaration.plural }

    /// A number of rows with the right noun: `1 user`, `20 users`.
    package func counted(_ count: Int) -> String { Count.words(count, singular, plural) }

    /// The field with a name; nil when there is none.
    public func field(named name: String) -> ResourceField? { positions[name].map { fields[$0] } }

    /// The field with a name in any spelling: `nodeID`, `node_id`, `node-id`. A boolean is also found with `is` before
    /// its name: `isFork` for `fork`.
    package func field(spelled name: String) -> ResourceField? {
        let named = field(named: name) ?? fields.first { $0.isSpelled(name.utf8[...]) }
        if let named { return named }
        guard name.hasPrefix("is") else { return nil }
        return fields.first { $0.type == .boolean && $0.isSpelled(name.utf8.dropFirst(2)) }
    }

    /// Whether a single row is requested by its key, not by its handle.
    package var isShownByKey: Bool { declaration.show?.parameters.contains(.key) == true }

    /// Returns the parts of a handle, which slashes separate.
    ///
    /// - Throws: `invalidValue` for a wrong number of parts, and for an empty one.
    package func parts(ofHandle handle: String) throws -> [String] {
        let names = declaration.handle?.parts ?? []
        guard let parts = HandleDeclaration.parts(of: handle, count: names.count) else {
            throw PatchbayError(
                .invalidValue,
                "\(Quotation.quoted(handle)) cannot be \(singular.withArticle); "
                    + "write \(names.joined(separator: "/"))")
        }
        return parts
    }

    /// The change number of the last change of a row that lists show; 0 when it has none.
    package func listedNumber(of row: borrowing RowView) -> Int64 {
        row.integer(row.isNull(listedNumberPosition) ? changeNumberPosition : listedNumberPosition)
    }

    /// The index of rows in the order of their last change.
    package var changeIndex: Index { collection.index(named: ResourceLayout.changeIndexName)! }

    /// The index in which local search finds titles by their beginnings.
    package func titleIndex(of field: ResourceField) -> Index? {
        collection.index(named: ResourceLayout.titleIndexName(field.name))
    }
}

extension Resource: Hashable {
    /// Whether both are the same object; a gateway has one for each resource.
    public static func == (left: Resource, right: Resource) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A field of a resource with its columns. It is passed by reference because loops over fields copy it often.
public final class ResourceField: Sendable {
    /// The definition of the field.
    package let declaration: FieldDeclaration
    /// The name in the definition, with underscores: `site_admin`.
    public let name: String
    /// The type of its values.
    public let type: ValueType
    /// The place in the definition, from 0.
    package let place: Int
    /// The position of the column in rows.
    package let position: Int
    /// The column of the local edit; nil for a field that cannot be edited.
    package let overridePosition: Int?
    /// The column of the folded beginning; nil for a field that is not a title.
    package let foldedPosition: Int?
    /// The name, folded.
    private let spelling: String

    init(
        declaration: FieldDeclaration, place: Int, position: Int, overridePosition: Int?, foldedPosition: Int?
    ) {
        self.declaration = declaration
        name = declaration.name
        type = declaration.type
        self.place = place
        self.position = position
        self.overridePosition = overridePosition
        self.foldedPosition = foldedPosition
        spelling = ResourceField.folded(name)
    }

    /// The position of the value to show: the edit if there is one, otherwise the source's value. Nil when the edit is
    /// empty, or when there is neither.
    package func shownPosition(in row: borrowing RowView) -> Int? {
        guard let overridePosition, !row.isNull(overridePosition) else {
            return row.isNull(position) ? nil : position
        }
        return row.bytes(overridePosition).isEmpty ? nil : overridePosition
    }

    /// A name without the differences between spellings.
    package static func folded(_ name: String) -> String {
        String(decoding: Array(folded(name.utf8[...])), as: UTF8.self)
    }

    private static func folded(_ name: Substring.UTF8View) -> some Sequence<UInt8> {
        name.lazy.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }.map(\.caseFolded)
    }

    /// Whether this is a spelling of the field's name. It allocates nothing, because records are decoded by it.
    fileprivate func isSpelled(_ name: Substring.UTF8View) -> Bool {
        ResourceField.folded(name).elementsEqual(spelling.utf8)
    }
}

extension ResourceField: Hashable {
    /// Whether both are the same object, that is, the same field of the same resource.
    public static func == (left: ResourceField, right: ResourceField) -> Bool { left === right }

    /// Hashes the identity of the object.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension FieldDeclaration {
    /// The name of the column; that of a time includes its unit.
    package var column: String { type == .time ? name + "_ms" : name }
}
