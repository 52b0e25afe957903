import PatchbayCore

/// Decodes a program's own record from an item.
///
/// Each property is read from the field with its name in any spelling (`nodeID` from `node_id`), with its edit if it
/// was edited. A field of JSON is decoded into arrays, dictionaries and nested structs.
struct ItemDecoder: Decoder {
    let item: Item

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private var place: CodedPlace { CodedPlace(item) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedValues(values: ItemFields(item: item), place: place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw place.isNoStruct }
    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw place.isNoStruct }
}

extension Resource {
    /// The error for a property without a field.
    func lacks(_ name: String) -> PatchbayError {
        PatchbayError(
            .invalidValue,
            "\(self.name) has no field \"\(name)\"\(EditDistance.suggestion(for: name, in: fields.map(\.name)))"
        )
    }
}

/// The place of a value in an item, for messages.
struct CodedPlace {
    let item: Item
    var codingPath: [any CodingKey] = []

    init(_ item: Item) { self.item = item }

    subscript(_ key: any CodingKey) -> CodedPlace {
        var place = self
        place.codingPath.append(key)
        return place
    }

    subscript(_ name: String) -> CodedPlace { self[PathKey(stringValue: name)] }

    var isNoStruct: PatchbayError {
        PatchbayError(
            .invalidValue, "a row of \(item.resource.name) is decoded into a struct with named properties")
    }

    func mismatch(_ value: CodedValue?, _ wanted: String) -> PatchbayError {
        switch value {
        case nil: error("is missing; \(wanted) is wanted")
        case .null: error("is null; \(wanted) is wanted, so make the property optional")
        case .some(let value): error("is \(value.words); \(wanted) is wanted")
        }
    }

    func error(_ problem: String) -> PatchbayError {
        let resource = item.resource, path = codingPath.map(\.stringValue)
        let field = path.first.map { resource.field(spelled: $0)?.name ?? $0 }
        return PatchbayError(
            .invalidValue,
            "\(([resource.name] + path).joined(separator: ".")) of \"\(item.handle)\" \(problem)",
            [.key(item.keyText)] + (field.map { [.field($0)] } ?? []))
    }
}

/// The name or the index of a part.
struct PathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = String(intValue)
        self.intValue = intValue
    }
}

/// A value being decoded.
private struct ValueDecoder: Decoder, SingleValueDecodingContainer {
    let value: CodedValue
    let place: CodedPlace

    var codingPath: [any CodingKey] { place.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let members = value.object else { throw place.mismatch(value, "an object") }
        return KeyedDecodingContainer(KeyedValues(values: members, place: place))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard case .array(let elements) = value else { throw place.mismatch(value, "an array") }
        return UnkeyedValues(elements: elements, place: place)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { value.isNull }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        guard let scalar = type as? any CodedScalar.Type else { return try T(from: self) }
        guard let result = scalar.init(value) as? T else { throw place.mismatch(value, "\(type)") }
        return result
    }
}

/// Values that are found by the names of properties, in any spelling.
private protocol NamedValues {
    var names: [String] { get }
    func contains(_ name: String) -> Bool
    func isNull(_ name: String) throws -> Bool
    /// Nil when there is none.
    func value(_ name: String) throws -> CodedValue?
}

/// The fields of an item, which are read from its packed row one by one.
private struct ItemFields: NamedValues {
    let item: Item

    var names: [String] { item.resource.fields.map(\.name) }

    /// Also true for a field that was not declared, so that a misspelt property is an error even when it is optional.
    func contains(_ name: String) -> Bool { true }

    func isNull(_ name: String) throws -> Bool {
        let field = try field(name)
        // JSON may be the word null.
        guard field.type != .json else { return try value(field).isNull }
        return !item.isShown(field)
    }

    func value(_ name: String) throws -> CodedValue? { try value(field(name)) }

    private func field(_ name: String) throws -> ResourceField {
        guard let field = item.resource.field(spelled: name) else { throw item.resource.lacks(name) }
        return field
    }

    private func value(_ field: ResourceField) throws -> CodedValue {
        guard let value = CodedValue(item.shown(field)) else {
            throw CodedPlace(item)[field.name].error("is not JSON")
        }
        return value
    }
}

extension CodedValue.Members: NamedValues {
    fileprivate var names: [String] { all.map(\.name) }
    fileprivate func contains(_ name: String) -> Bool { self[spelled: name] != nil }
    fileprivate func isNull(_ name: String) -> Bool { self[spelled: name]?.isNull ?? true }
    fileprivate func value(_ name: String) -> CodedValue? { self[spelled: name] }
}

/// The fields of an item, or the members of an object.
private struct KeyedValues<Values: NamedValues, Key: CodingKey>: KeyedDecodingContainerProtocol {
    let values: Values
    let place: CodedPlace

    var codingPath: [any CodingKey] { place.codingPath }
    var allKeys: [Key] { values.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { values.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool { try values.isNull(key.stringValue) }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        guard let value = try values.value(key.stringValue) else { throw place[key].mismatch(nil, "\(type)") }
        // Most properties are scalars, which need no place unless they do not fit.
        guard let scalar = type as? any CodedScalar.Type else {
            return try T(from: ValueDecoder(value: value, place: place[key]))
        }
        guard let result = scalar.init(value) as? T else { throw place[key].mismatch(value, "\(type)") }
        return result
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(PathKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }

    private func decoder(_ key: any CodingKey) throws -> ValueDecoder {
        ValueDecoder(value: try values.value(key.stringValue) ?? .null, place: place[key])
    }
}

/// The elements of an array.
private struct UnkeyedValues: UnkeyedDecodingContainer {
    let elements: [CodedValue]
    let place: CodedPlace
    var currentIndex = 0

    var codingPath: [any CodingKey] { place.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    mutating func decodeNil() throws -> Bool {
        let isNull = try decoder().decodeNil()
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next { try $0.decode(type) } }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        try next { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try next { $0 } }

    private mutating func next<Result>(_ read: (ValueDecoder) throws -> Result) throws -> Result {
        let result = try read(decoder())
        currentIndex += 1
        return result
    }

    private func decoder() throws -> ValueDecoder {
        let place = place[PathKey(intValue: currentIndex)]
        guard !isAtEnd else { throw place.error("does not exist") }
        return ValueDecoder(value: elements[currentIndex], place: place)
    }
}
