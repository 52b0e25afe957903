import PatchbayCore

extension Item {
    /// Creates an item from a program's own record, such as the records of a test or of a source.
    ///
    /// Each property sets the field with its name in any spelling; nil sets null. Fields without a property stay
    /// unknown.
    ///
    /// - Throws: `invalidValue` for a property without a field, for a value that does not fit the field, and when a
    ///   part of the key is missing.
    public init(encoding record: some Encodable, of resource: Resource) throws {
        let node = CodedNode()
        try record.encode(to: ValueEncoder(node: node))
        guard case .object(let members) = node.value else {
            throw PatchbayError(
                .invalidValue, "a row of \(resource.name) is made from a struct with named properties")
        }
        var builder = ItemBuilder()
        builder.begin(resource)
        for (name, value) in members.all {
            guard let field = resource.field(spelled: name) else { throw resource.lacks(name) }
            if case .null = value {
                builder.setNull(field)
            } else if let value = value.value(of: field.type) {
                builder.set(field, value)
            } else {
                throw PatchbayError(
                    .invalidValue,
                    "\(resource.name).\(field.name) is \(value.words); \(field.type.rawValue) is wanted")
            }
        }
        self = try builder.finish()
    }
}

/// A value that is being encoded.
private final class CodedNode {
    private enum Content {
        case value(CodedValue)
        case members([(name: String, node: CodedNode)])
        case elements([CodedNode])
    }

    private var content = Content.value(.null)

    var value: CodedValue {
        switch content {
        case .value(let value): value
        case .members(let members): .object(.init(all: members.map { ($0.name, $0.node.value) }))
        case .elements(let elements): .array(elements.map(\.value))
        }
    }

    var count: Int { if case .elements(let elements) = content { elements.count } else { 0 } }

    func beginObject() { if case .members = content {} else { content = .members([]) } }
    func beginArray() { if case .elements = content {} else { content = .elements([]) } }

    func member(_ key: any CodingKey) -> CodedNode {
        guard case .members(var members) = content else { preconditionFailure("a member without an object") }
        let node = CodedNode()
        members.append((key.stringValue, node))
        content = .members(members)
        return node
    }

    func element() -> CodedNode {
        guard case .elements(var elements) = content else {
            preconditionFailure("an element without an array")
        }
        let node = CodedNode()
        elements.append(node)
        content = .elements(elements)
        return node
    }

    func encode<T: Encodable>(_ value: T, _ codingPath: [any CodingKey]) throws {
        guard let scalar = value as? any CodedScalar else {
            return try value.encode(to: ValueEncoder(node: self, codingPath: codingPath))
        }
        guard let coded = scalar.coded else {
            let path = codingPath.map(\.stringValue).joined(separator: ".")
            throw PatchbayError(.invalidValue, "\(path) is \(value), which no field can hold")
        }
        content = .value(coded)
    }
}

private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
    let node: CodedNode
    var codingPath: [any CodingKey] = []

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(KeyedNodes<Key>(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        UnkeyedNodes(node: node, codingPath: codingPath)
    }
    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    /// A node without a value already encodes null.
    mutating func encodeNil() {}
    mutating func encode<T: Encodable>(_ value: T) throws { try node.encode(value, codingPath) }
}

private struct KeyedNodes<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: CodedNode
    let codingPath: [any CodingKey]

    init(node: CodedNode, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        node.beginObject()
    }

    mutating func encodeNil(forKey key: Key) { _ = node.member(key) }

    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try node.member(key).encode(value, codingPath + [key])
    }

    mutating func encodeIfPresent<T: Encodable>(_ value: T?, forKey key: Key) throws { try set(value, key) }
    // The protocol's default implementations for these types skip nil.
    mutating func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: String?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try set(value, key) }
    mutating func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try set(value, key) }

    /// Encodes nil as a known null instead of leaving the property out.
    private func set<T: Encodable>(_ value: T?, _ key: Key) throws {
        let node = node.member(key)
        if let value { try node.encode(value, codingPath + [key]) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder(key).unkeyedContainer()
    }

    mutating func superEncoder() -> any Encoder { encoder(PathKey(stringValue: "super")) }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }

    private func encoder(_ key: any CodingKey) -> ValueEncoder {
        ValueEncoder(node: node.member(key), codingPath: codingPath + [key])
    }
}

private struct UnkeyedNodes: UnkeyedEncodingContainer {
    let node: CodedNode
    let codingPath: [any CodingKey]

    init(node: CodedNode, codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
        node.beginArray()
    }

    var count: Int { node.count }

    mutating func encodeNil() { _ = node.element() }

    mutating func encode<T: Encodable>(_ value: T) throws {
        let encoder = encoder()
        try encoder.node.encode(value, encoder.codingPath)
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { encoder() }

    private func encoder() -> ValueEncoder {
        let path = codingPath + [PathKey(intValue: count)]
        return ValueEncoder(node: node.element(), codingPath: path)
    }
}
