internal import PatchbayCore
internal import PatchbayJSON

/// A value in the JSON of a comparison.
protocol JSONCoded: Sendable {
    func write(to writer: inout JSONWriter)
    static func read(from reader: inout JSONReader) throws -> Self
}

/// A JSON object. Its list of fields serves both writing and reading, so that the two cannot disagree.
protocol JSONRecord: JSONCoded {
    /// The record before its fields are read.
    init()
    static var fields: [JSONField<Self>] { get }
}

/// A key of a JSON object, and the property that has its value.
struct JSONField<Record>: Sendable {
    let key: StaticString
    /// Whether reading fails without the key, as it does unless the value is optional.
    let isRequired: Bool
    let write: @Sendable (Record, inout JSONWriter) -> Void
    let read: @Sendable (inout Record, inout JSONReader) throws -> Void

    init<Value: JSONCoded>(_ key: StaticString, _ path: any WritableKeyPath<Record, Value> & Sendable) {
        self.key = key
        isRequired = !(Value.self is any ExpressibleByNilLiteral.Type)
        write = { $0[keyPath: path].write(to: &$1) }
        read = { $0[keyPath: path] = try Value.read(from: &$1) }
    }

    /// A field with a fixed value, by which a report is recognised.
    init<Value: JSONCoded & Equatable>(_ key: StaticString, is value: Value) {
        self.key = key
        isRequired = true
        write = { _, writer in value.write(to: &writer) }
        read = { _, reader in
            guard try Value.read(from: &reader) == value else {
                let message = "expected \(JSONReport.format) of version \(JSONReport.version)"
                throw JSONError(message: message, offset: reader.offset)
            }
        }
    }
}

extension JSONRecord {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for field in Self.fields {
            writer.key(field.key)
            field.write(self, &writer)
        }
        writer.endObject()
    }

    /// Reads an object and skips the keys that it does not know.
    static func read(from reader: inout JSONReader) throws -> Self {
        var record = Self()
        var found: Set<String> = []
        try reader.beginObject()
        while let key = try reader.nextKey()?.string() {
            found.insert(key)
            if let field = fields.first(where: { $0.key.description == key }) {
                try field.read(&record, &reader)
            } else {
                try reader.skipValue()
            }
        }
        let missing = fields.first { $0.isRequired && !found.contains($0.key.description) }
        guard let missing else { return record }
        throw JSONError(message: "the object has no \"\(missing.key)\"", offset: reader.offset)
    }
}

/// A value that JSON contains as text.
protocol JSONWord: JSONCoded {
    var word: String { get }
    init?(word: String)
    /// The kind of value, for an error: `a time`.
    static var kind: StaticString { get }
}

extension JSONWord where Self: LosslessStringConvertible {
    var word: String { description }
    init?(word: String) { self.init(word) }
}

extension JSONWord where Self: RawRepresentable<String> {
    var word: String { rawValue }
    init?(word: String) { self.init(rawValue: word) }
}

extension JSONWord {
    func write(to writer: inout JSONWriter) { writer.string(word) }

    static func read(from reader: inout JSONReader) throws -> Self {
        let word = try reader.readString()
        if let value = Self(word: word) { return value }
        throw JSONError(message: "\"\(word)\" is not \(kind)", offset: reader.offset)
    }
}

extension String: JSONCoded {
    func write(to writer: inout JSONWriter) { writer.string(self) }
    static func read(from reader: inout JSONReader) throws -> String { try reader.readString() }
}

extension Bool: JSONCoded {
    func write(to writer: inout JSONWriter) { writer.bool(self) }
    static func read(from reader: inout JSONReader) throws -> Bool { try reader.readBool() }
}

extension Int: JSONCoded {
    func write(to writer: inout JSONWriter) { writer.integer(Int64(self)) }

    static func read(from reader: inout JSONReader) throws -> Int {
        let number = try reader.readInteger()
        guard number >= 0 else { throw JSONError(message: "\(number) is below zero", offset: reader.offset) }
        return Int(number)
    }
}

extension Double: JSONCoded {
    /// JSON has no infinity; measured times are finite.
    func write(to writer: inout JSONWriter) { writer.real(self) }

    static func read(from reader: inout JSONReader) throws -> Double {
        let number = try reader.readDouble()
        guard number >= 0 else { throw JSONError(message: "\(number) is below zero", offset: reader.offset) }
        return number
    }
}

extension Optional: JSONCoded where Wrapped: JSONCoded {
    func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }

    static func read(from reader: inout JSONReader) throws -> Wrapped? {
        try reader.readNull() ? nil : try Wrapped.read(from: &reader)
    }
}

extension Array: JSONCoded where Element: JSONCoded {
    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for element in self { element.write(to: &writer) }
        writer.endArray()
    }

    static func read(from reader: inout JSONReader) throws -> [Element] {
        var elements: [Element] = []
        try reader.beginArray()
        while try reader.nextElement() { elements.append(try Element.read(from: &reader)) }
        return elements
    }
}
