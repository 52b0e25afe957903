import PatchbayCore
import PatchbayJSON

/// The members of an object in answers of the API: one list writes and describes them.
///
///     Members<SyncRuns.Run> {
///         Member("rows", "The number of saved rows.") { $0.rows }
///         Member("ended_at") { $0.endedAt }
///     }
///
/// The type of a value determines how it is written and described.
struct Members<Value>: Sendable {
    private let members: [Member<Value>]

    init(@MembersBuilder<Value> _ members: () -> [Member<Value>]) { self.members = members() }

    /// The schema of the object.
    var schema: JSONValue {
        [
            "type": "object", "required": JSONValue(members.filter { $0.isPresent == nil }.map(\.name)),
            "properties": .object(members.map { ($0.name, $0.schema) }),
        ]
    }

    /// The schema of an array of such objects.
    var schemaOfArray: JSONValue { ["type": "array", "items": schema] }

    func write(_ value: Value, to json: inout JSONWriter) {
        json.beginObject()
        for member in members where member.isPresent?(value) ?? true {
            json.key(member.name)
            member.write(value, &json)
        }
        json.endObject()
    }

    func write(_ values: some Sequence<Value>, to json: inout JSONWriter) {
        json.beginArray()
        for value in values { write(value, to: &json) }
        json.endArray()
    }

    /// The object as a text.
    func json(_ value: Value) -> [UInt8] {
        var json = JSONWriter()
        write(value, to: &json)
        return json.bytes
    }

    /// An array as a line.
    func line(_ values: some Sequence<Value>) -> [UInt8] {
        var json = JSONWriter()
        write(values, to: &json)
        json.newline()
        return json.bytes
    }
}

/// A member of an object.
struct Member<Value>: Sendable {
    let name: String
    let schema: JSONValue
    /// Whether a value has the member; nil if all have it.
    let isPresent: (@Sendable (Value) -> Bool)?
    let write: @Sendable (Value, inout JSONWriter) -> Void

    /// - Parameters:
    ///   - words: all texts that the value may be.
    init<Content: AnswerValue>(
        _ name: String, _ summary: String? = nil, among words: [String] = [],
        _ content: @escaping @Sendable (Value) -> Content
    ) {
        let schema = words.isEmpty ? Content.schema : Content.schema(among: words)
        self.init(name, summary, schema) { value, json in content(value).write(to: &json) }
    }

    /// A member that a value without content lacks.
    init<Content: AnswerValue>(
        ifPresent name: String, _ summary: String? = nil,
        _ content: @escaping @Sendable (Value) -> Content?
    ) {
        self.init(name, summary, Content.schema, ifPresent: { content($0) != nil }) { value, json in
            content(value)?.write(to: &json)
        }
    }

    /// A member with objects.
    init<Element>(
        _ name: String, _ summary: String? = nil, of members: Members<Element>,
        _ content: @escaping @Sendable (Value) -> [Element]
    ) {
        self.init(name, summary, members.schemaOfArray) { value, json in
            members.write(content(value), to: &json)
        }
    }

    /// A member that `write` writes.
    init(
        _ name: String, _ summary: String? = nil, _ schema: JSONValue,
        ifPresent isPresent: (@Sendable (Value) -> Bool)? = nil,
        _ write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.name = name
        self.schema = summary.map { schema.adding(["description": .text($0)]) } ?? schema
        self.isPresent = isPresent
        self.write = write
    }
}

@resultBuilder
enum MembersBuilder<Value> {
    static func buildExpression(_ member: Member<Value>) -> Member<Value> { member }
    static func buildBlock(_ members: Member<Value>...) -> [Member<Value>] { members }
}

// MARK: - Values

/// A value with a description in JSON Schema.
protocol AnswerValue: SendableMetatype {
    static var schema: JSONValue { get }
    /// The schema of a value that is one of some texts.
    static func schema(among words: [String]) -> JSONValue
    func write(to json: inout JSONWriter)
}

extension AnswerValue {
    static func schema(among words: [String]) -> JSONValue { ["enum": JSONValue(words)] }
}

extension String: AnswerValue {
    static var schema: JSONValue { ["type": "string"] }
    func write(to json: inout JSONWriter) { json.string(self) }
}

extension Bool: AnswerValue {
    static var schema: JSONValue { ["type": "boolean"] }
    func write(to json: inout JSONWriter) { json.bool(self) }
}

extension Int64: AnswerValue {
    static var schema: JSONValue { ["type": "integer"] }
    func write(to json: inout JSONWriter) { json.integer(self) }
}

extension Int: AnswerValue {
    static var schema: JSONValue { Int64.schema }
    func write(to json: inout JSONWriter) { json.integer(Int64(self)) }
}

extension Timestamp: AnswerValue {
    static var schema: JSONValue { ["type": "string", "format": "date-time"] }
    func write(to json: inout JSONWriter) { json.string(description) }
}

extension Array: AnswerValue where Element: AnswerValue {
    static var schema: JSONValue { ["type": "array", "items": Element.schema] }

    func write(to json: inout JSONWriter) {
        json.beginArray()
        for element in self { element.write(to: &json) }
        json.endArray()
    }
}

extension Optional: AnswerValue where Wrapped: AnswerValue {
    static var schema: JSONValue {
        .object(
            Wrapped.schema.members.map { name, value in
                (name, name == "type" ? [value, "null"] : value)
            })
    }

    static func schema(among words: [String]) -> JSONValue {
        ["enum": .array(words.map(JSONValue.text) + [.null])]
    }

    func write(to json: inout JSONWriter) {
        if let value = self { value.write(to: &json) } else { json.null() }
    }
}

/// Numbers by name, in the order of the names.
extension [String: Int]: AnswerValue {
    static var schema: JSONValue { ["type": "object", "additionalProperties": Int.schema] }

    func write(to json: inout JSONWriter) {
        json.beginObject()
        for (name, number) in sorted(by: { $0.key < $1.key }) {
            json.key(name)
            json.integer(Int64(number))
        }
        json.endObject()
    }
}
