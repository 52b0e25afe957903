/// A declared set of rows: a SQL table, an LMDB sub-database, a JSON Lines file.
///
/// A collection is created once and passed around by reference, so a storage may recognise it by identity.
public final class CollectionSchema: Sendable {
    /// The name in the storage: at most 48 lower-case letters, digits and underscores, starting with a letter.
    public let name: String
    /// The fields by position; 1 to ``Limits/fields``, with different names.
    public let fields: [Field]
    /// The primary key, as an index over one or more fields that are never null.
    public let primaryKey: Index
    /// The indexes besides the primary key, with different names.
    public let indexes: [Index]
    /// The declaration as one line of text, which a storage saves with the rows and compares when it opens:
    ///
    ///     users(id integer, login text, name text null; key id; by_login login:nocase; by_id_name:unique id name)
    public let definition: String
    /// The fields that must not be null in any row.
    public let requiredFields: FieldSet
    /// The fields whose slot points to text or bytes, and the real fields; the check of a row examines them.
    let pointingFields, realFields: FieldSet
    /// The null bits of an empty row.
    let allNull: UInt64

    /// - Parameters:
    ///   - key: the positions of the fields that identify a row; integer or text, not optional.
    ///   - indexes: further orders; their fields are integer or text.
    public convenience init(_ name: String, key: Int..., indexes: [Index] = [], fields: [Field]) {
        self.init(name, keyPositions: key, indexes: indexes, fields: fields)
    }

    /// Creates a collection whose key and fields are known only at run time.
    public convenience init(_ name: String, keyPositions key: [Int], indexes: [Index], fields: [Field]) {
        self.init(unchecked: name, key: key, indexes: indexes, fields: fields)
        if let fault { preconditionFailure(fault) }
    }

    /// Accepts a declaration before ``fault`` has checked it.
    init(unchecked name: String, key: [Int], indexes: [Index], fields: [Field]) {
        self.name = name
        self.fields = fields
        self.primaryKey = Index(
            "primary_key", parts: key.map { .exact($0) }, unique: true, isPrimaryKey: true)
        self.indexes = indexes
        self.definition = Self.definition(name, fields, key: primaryKey, indexes)
        var required: UInt64 = 0, pointing: UInt64 = 0, real: UInt64 = 0
        for (position, field) in fields.enumerated() {
            let bit: UInt64 = 1 << UInt64(position)
            if !field.isOptional { required |= bit }
            switch field.type {
            case .text, .bytes: pointing |= bit
            case .real: real |= bit
            case .integer: break
            }
        }
        self.requiredFields = FieldSet(rawValue: required)
        self.pointingFields = FieldSet(rawValue: pointing)
        self.realFields = FieldSet(rawValue: real)
        self.allNull = FieldSet(rawValue: (1 << UInt64(fields.count)) &- 1).nullBits
    }

    /// Whether the key is a single integer, which storages support natively.
    public var hasIntegerKey: Bool {
        primaryKey.parts.count == 1 && fields[primaryKey.parts[0].position].type == .integer
    }

    /// All fields of the collection, unlike ``FieldSet/all``, which also has bits for others.
    package var allFields: FieldSet { FieldSet(positions: fields.indices) }

    /// Returns the index with this name; nil when there is none. The primary key is not included.
    public func index(named name: String) -> Index? { indexes.first { $0.name == name } }

    /// Why the declaration cannot be stored, or nil.
    var fault: String? {
        if !Field.isName(name) { return "\"\(name)\" is not a name: use a-z, 0-9 and _" }
        if !(1...Limits.fields).contains(fields.count) {
            return "\(name) must have 1 to \(Limits.fields) fields"
        }
        if Set(fields.map(\.name)).count != fields.count { return "\(name) has two fields of one name" }
        for (place, field) in fields.enumerated() where field.columnPosition ?? place != place {
            return "the column \(name).\(field.name) has position \(field.columnPosition!), "
                + "but its field is at \(place)"
        }
        if Set(indexes.map(\.name)).count != indexes.count { return "\(name) has two indexes of one name" }
        for index in [primaryKey] + indexes {
            for part in index.parts {
                if let fault = fault(in: part) { return "\(name).\(index.name) \(fault)" }
            }
        }
        for field in fields where field.isOwnStorage && (field.type != .integer || !field.isOptional) {
            return "\(name).\(field.name) belongs to the storage, so it must be an optional integer"
        }
        let keysAreFilled = primaryKey.parts.allSatisfy { !fields[$0.position].isOptional }
        return keysAreFilled ? nil : "the key of \(name) must not be optional"
    }

    private func fault(in part: Index.Part) -> String? {
        guard fields.indices.contains(part.position) else { return "names no field" }
        let type = fields[part.position].type
        if type != .integer && type != .text { return "must be integer or text" }
        return part.isCaseFolded && type != .text ? "is case-folded but not text" : nil
    }
}

extension CollectionSchema: Hashable {
    /// Whether both have the same name, fields, primary key and indexes.
    public static func == (left: CollectionSchema, right: CollectionSchema) -> Bool {
        left === right || (left.name == right.name && left.definition == right.definition)
    }

    /// Hashes the name, because the names in a storage differ.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A Swift value that is stored as a row of a collection.
public protocol StoredRecord: Sendable {
    /// The collection that stores the records; the same instance at every call.
    static var collection: CollectionSchema { get }
    /// Creates the record from a row, copying the values that it keeps.
    init(_ row: borrowing RowView)
    /// Sets the fields of a new row; a field that is not set stays null.
    func write(to row: inout RowBuilder)
}

/// The limits of every storage. Exceeding one throws ``PatchbayError/Code/invalidValue``.
public enum Limits {
    /// The maximum size of an encoded key or index entry, in bytes (LMDB allows 511).
    public static let keyBytes = 480
    /// The maximum number of fields of a collection; the null bits in a row's header.
    public static let fields = 56
    /// The maximum size of a row, in bytes.
    public static let rowBytes = 16 << 20
    /// The maximum number of rows of a page.
    public static let pageRows = 10_000
}
