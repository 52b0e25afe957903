// Literals, for JSON written in code: `["type": "string", "maxLength": 256]`.

extension JSONValue: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self = .text(text) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: Int64) { self = .number(String(number)) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral isTrue: Bool) { self = .bool(isTrue) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self = .object(members.map { (name: $0.0, value: $0.1) })
    }
}

extension JSONValue {
    package init(_ number: Int64?) { self = number.map { .number(String($0)) } ?? .null }
    package init(_ text: String?) { self = text.map(JSONValue.text) ?? .null }

    /// The texts as an array.
    package init(_ texts: [String]) { self = .array(texts.map(JSONValue.text)) }

    /// The members of this object, followed by others.
    package func adding(_ others: JSONValue) -> JSONValue {
        guard case .object(let first) = self, case .object(let more) = others else { return others }
        return .object(first + more)
    }
}
