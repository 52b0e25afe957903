/// A whole JSON text in memory, for JSON of unknown structure.
package indirect enum JSONValue: Sendable {
    case null
    case bool(Bool)
    /// The text of the number: `1.0` differs from `1`.
    case number(String)
    case text(String)
    case array([JSONValue])
    /// The members in the order of the text; the last one with a name wins.
    case object([(name: String, value: JSONValue)])

    package init(_ bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes.span.bytes)
        self = try JSONValue(&reader, bytes)
        try reader.finish()
    }

    private init(_ reader: inout JSONReader, _ bytes: [UInt8]) throws(JSONError) {
        switch try reader.peek() {
        case .object:
            var members: [(name: String, value: JSONValue)] = []
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.string()
                members.append((name, try JSONValue(&reader, bytes)))
            }
            self = .object(members)
        case .array:
            var elements: [JSONValue] = []
            try reader.beginArray()
            while try reader.nextElement() { elements.append(try JSONValue(&reader, bytes)) }
            self = .array(elements)
        case .string: self = .text(try reader.readString())
        case .bool: self = .bool(try reader.readBool())
        case .number, .null, .end: self = try JSONValue.scalar(&reader, bytes)
        }
    }

    private static func scalar(
        _ reader: inout JSONReader, _ bytes: [UInt8]
    ) throws(JSONError) -> JSONValue {
        if try reader.readNull() { return .null }
        let start = reader.offset
        try reader.skipValue()
        return .number(String(decoding: bytes[start..<reader.offset], as: UTF8.self))
    }

    /// The members of an object, keeping the last of those with the same name; empty for any other value.
    package var members: [(name: String, value: JSONValue)] {
        guard case .object(let members) = self else { return [] }
        var places: [[UInt8]: Int] = [:], kept: [(name: String, value: JSONValue)] = []
        for member in members {
            let name = Array(member.name.utf8)
            if let place = places[name] {
                kept[place].value = member.value
            } else {
                places[name] = kept.count
                kept.append(member)
            }
        }
        return kept
    }

    package var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }

    package subscript(_ name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// A text, or a number as written; nil for any other value.
    package var word: String? {
        switch self {
        case .text(let text), .number(let text): text
        default: nil
        }
    }

    package var isObject: Bool { if case .object = self { true } else { false } }

    package var isNull: Bool { if case .null = self { true } else { false } }

    /// The value as JSON in one line; line breaks within texts are escaped.
    package var line: [UInt8] {
        var json = JSONWriter()
        json.value(self)
        return json.bytes
    }
}

extension JSONWriter {
    /// Writes a whole value, including members with the same name.
    package mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let isTrue): bool(isTrue)
        case .number(let digits): number(digits)
        case .text(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.name)
                self.value(member.value)
            }
            endObject()
        }
    }

    /// Writes a number as written.
    private mutating func number(_ digits: String) {
        separate()
        bytes.append(contentsOf: digits.utf8)
    }
}

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
