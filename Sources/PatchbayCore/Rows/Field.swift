/// The type of a field.
///
/// The raw value is its name in a schema definition (see ``CollectionSchema/definition``).
public enum FieldType: String, Sendable, Hashable, CaseIterable {
    /// A signed 64-bit number, exact in every storage.
    case integer
    /// A 64-bit floating-point number; never NaN.
    case real
    /// UTF-8 text without U+0000. It compares by its bytes.
    case text
    /// Any bytes.
    case bytes
}

/// A named, typed place in every row of a collection.
public struct Field: Sendable {
    /// Lower-case letters, digits and underscores, starting with a letter.
    public let name: String
    /// The type of the values.
    public let type: FieldType
    /// Whether the field may be null.
    public let isOptional: Bool
    /// Whether the value belongs to this storage and not to the row: it is left out of digests, copies and exports.
    /// Only an optional integer that is not part of a key can be such a field.
    public let isOwnStorage: Bool
    /// The position that a ``RowColumn`` gives the field; nil when no column declares it. It is ignored by equality.
    let columnPosition: Int?

    /// Creates a field. A name that is not valid, or longer than 48 bytes, is a programming error.
    public init(_ name: String, _ type: FieldType, isOptional: Bool = false, isOwnStorage: Bool = false) {
        self.init(name, type, isOptional: isOptional, isOwnStorage: isOwnStorage, columnPosition: nil)
    }

    init(_ name: String, _ type: FieldType, isOptional: Bool, isOwnStorage: Bool, columnPosition: Int?) {
        precondition(Field.isName(name), "\"\(name)\" is not a name: use a-z, 0-9 and _")
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isOwnStorage = isOwnStorage
        self.columnPosition = columnPosition
    }

    package static let nameBytesMax = 48

    /// Whether this is a valid name of a collection, field or index in every storage.
    package static func isName(_ name: String) -> Bool {
        name.utf8.first?.isASCIILowercase == true && name.utf8.count <= nameBytesMax
            && name.utf8.allSatisfy(isOfName)
    }

    /// Whether a byte may be part of a name: `a` to `z`, `0` to `9` and `_`.
    package static func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || byte == UInt8(ascii: "_")
    }
}

extension Field: Hashable {
    /// Whether all properties are equal.
    public static func == (left: Field, right: Field) -> Bool {
        left.name == right.name && left.type == right.type && left.isOptional == right.isOptional
            && left.isOwnStorage == right.isOwnStorage
    }

    /// Hashes the name, because the names in a collection differ.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A field with its Swift type; the position is its slot in every row.
///
/// A collection is declared with columns as `[id.field, login.field]`. It rejects fields that are not in the order of
/// their positions, because their values would be stored in each other's slots.
public struct RowColumn<Value: ColumnValue>: Sendable {
    /// The position in the collection's fields, from 0.
    public let position: Int
    /// The name of the field.
    public let name: String

    /// Creates a column. The position must be that of its field in the collection.
    public init(_ position: Int, _ name: String) {
        self.position = position
        self.name = name
    }

    /// The declaration of the field, for the list of fields of a collection.
    public var field: Field { field(isOwnStorage: false) }

    /// The declaration of the field, which may be one of ``Field/isOwnStorage``.
    @usableFromInline package func field(isOwnStorage: Bool) -> Field {
        Field(
            name, Value.fieldType, isOptional: Value.isOptional, isOwnStorage: isOwnStorage,
            columnPosition: position)
    }
}

/// A set of field positions, such as the fields that a visitor will read.
public struct FieldSet: OptionSet, Sendable, Hashable {
    /// One bit for each field; the lowest is position 0.
    public let rawValue: UInt64

    /// Creates a set from its bits.
    @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Creates a set of positions from 0 to 63; a collection has at most ``Limits/fields``.
    @inlinable public init(positions: some Sequence<Int>) {
        self.init(rawValue: positions.reduce(0) { $0 | 1 << UInt64($1) })
    }

    /// Every field.
    public static let all = FieldSet(rawValue: .max)

    /// Whether the set contains a position from 0 to 63.
    @inlinable @inline(__always)
    public func contains(position: Int) -> Bool {
        rawValue & (1 &<< UInt64(truncatingIfNeeded: position)) != 0
    }

    /// The positions in the set, ascending.
    package var positions: [Int] { (0..<Limits.fields).filter { contains(position: $0) } }
}
