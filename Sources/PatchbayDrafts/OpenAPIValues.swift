import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Values of the types that schemas declare.
struct OpenAPIValues {
    let document: OpenAPIDocument
    /// The word in braces that names a row in the address of a single one.
    let keyVariable: String?
    /// The number of values that may still be generated.
    var left: Int
    /// The maximum depth of schemas, because one may refer to itself.
    private static let depthMax = 12

    /// What schemas say about the presence of the members of rows.
    struct Presence {
        /// The members that every row has.
        var assured: Set<String> = []
        /// The members that may be absent or null.
        var optional: Set<String> = []
        /// The members that may be null.
        var nullable: Set<String> = []
    }

    private(set) var presence = Presence()

    /// An answer with two rows in each array outside other arrays, where rows are searched for.
    mutating func answer(_ schema: JSONValue) -> JSONValue {
        value(
            schema, in: Place(variant: 0, levels: RowPlaces.depthMax, depth: Self.depthMax, isInRow: false))
    }

    private struct Place {
        /// Which of two rows the value is for; identifying values differ between them.
        var variant: Int
        /// The remaining levels of objects; deeper ones are stored as JSON.
        var levels: Int
        /// The remaining depth of schemas.
        var depth: Int
        var isInRow: Bool

        var inside: Place { with { $0.depth -= 1 } }

        func with(_ change: (inout Place) -> Void) -> Place {
            var place = self
            change(&place)
            return place
        }
    }

    private mutating func value(_ schema: JSONValue, named name: String = "", in place: Place) -> JSONValue {
        let schema = document.resolved(schema)
        left -= 1
        guard place.depth > 0 else { return .null }
        let parts = (schema["allOf"]?.elements ?? []).map(document.resolved)
        if schema["properties"] == nil {
            // A reference with a description of its own is often written as a list of one schema.
            if let part = parts.first(where: { type(of: $0).map { $0 != "object" } ?? false }) {
                return value(part, named: name, in: place.inside)
            }
            let isScalar = ["string", "integer", "number", "boolean"].contains(schema["type"]?.word)
            if parts.isEmpty, !isScalar, let choice = choice(of: schema, place.variant) {
                return value(choice, named: name, in: place.inside)
            }
        }
        if !parts.isEmpty || schema["properties"] != nil {
            guard left > 0, place.levels > 0 else { return .object([]) }
            return .object(properties(schema, in: place.with { $0.levels -= 1 }))
        }
        switch type(of: schema) {
        case "array":
            // An array in a row is stored as JSON.
            guard !place.isInRow, left > 0 else { return .array([]) }
            let rows = rows(schema, in: place)
            // Rows without declared members may have examples.
            return rows.isBare ? examples(schema) ?? rows : rows
        case "object": return .object([])
        case "boolean": return .bool(true)
        case "integer": return .number(integer(schema, named: name, place.variant))
        case "number": return .number(isNamedLikeKey(name) ? "\(place.variant + 1)" : "1.5")
        case "string": return .text(text(schema, named: name, place.variant))
        // Without a type; stored as JSON.
        default: return .array([])
        }
    }

    /// Two rows of an array.
    private mutating func rows(_ schema: JSONValue, in place: Place) -> JSONValue {
        if let parts = parts(of: schema) {
            let place = place.with { $0.depth -= 1 }
            return .array(parts.map { value($0, in: place) })
        }
        guard let items = schema["items"] else { return .array([]) }
        return .array(
            (0...1).map { variant in
                value(
                    items,
                    in: Place(
                        variant: variant, levels: RowSurvey.depthMax, depth: place.depth - 1, isInRow: true)
                )
            })
    }

    /// The elements of an array that has its rows beside an object with the number of the page; nil for another array.
    private func parts(of schema: JSONValue) -> [JSONValue]? {
        let parts =
            schema["prefixItems"]?.elements.map(document.resolved)
            ?? schema["items"].map { choices(of: document.resolved($0)) } ?? []
        let types = Set(parts.map { type(of: $0) })
        return types.isSuperset(of: ["array", "object"]) ? parts : nil
    }

    /// The rows in the example of an array, or that of its elements; nil for none.
    private func examples(_ schema: JSONValue) -> JSONValue? {
        let item = schema["items"].map(document.resolved).flatMap(document.example)
        let found = [document.example(schema), item.map { .array([$0]) }]
        return found.lazy.compactMap(\.self).first { $0.elements.contains(where: \.isObject) }
    }

    /// - Parameter required: the members that a schema around this one requires.
    private mutating func properties(
        _ schema: JSONValue, in place: Place, required: Set<String> = []
    ) -> [(name: String, value: JSONValue)] {
        left -= 1
        guard place.depth > 0, left > 0 else { return [] }
        var members: [(name: String, value: JSONValue)] = []
        let parts = schema["allOf"]?.elements.map(document.resolved) ?? []
        let required = required.union(
            ([schema] + parts).flatMap { $0["required"]?.elements.compactMap(\.word) ?? [] })
        for part in parts {
            members += properties(part, in: place.inside, required: required)
        }
        for (name, property) in schema["properties"]?.members ?? [] {
            if place.isInRow, place.levels == RowSurvey.depthMax - 1 {
                note(name, property, isRequired: required.contains(name))
            }
            members.append((name, value(property, named: name, in: place.inside)))
        }
        if let choice = choice(of: schema, place.variant) { members += properties(choice, in: place.inside) }
        return members
    }

    private mutating func note(_ name: String, _ property: JSONValue, isRequired: Bool) {
        let schema = document.resolved(property)
        let choices = (schema["anyOf"] ?? schema["oneOf"])?.elements.map(document.resolved) ?? []
        let isNullable = ([schema] + choices).contains { schema in
            let marks = [schema["nullable"], schema["x-nullable"]]
            return marks.contains { if case .bool(true)? = $0 { true } else { false } }
                || schema["type"]?.word == "null"
                || [schema["type"], schema["enum"]].contains { values in
                    values?.elements.contains { $0.isNull || $0.word == "null" } ?? false
                }
        }
        if isNullable { presence.nullable.insert(name) }
        if isRequired, !isNullable { presence.assured.insert(name) } else { presence.optional.insert(name) }
    }

    /// One of several schemas: the only one that allows a value, otherwise one for each variant.
    private func choice(of schema: JSONValue, _ variant: Int) -> JSONValue? {
        let choices = choices(of: schema)
        return choices.isEmpty ? nil : choices[variant % choices.count]
    }

    private func choices(of schema: JSONValue) -> [JSONValue] {
        let all = (schema["oneOf"] ?? schema["anyOf"])?.elements.map(document.resolved) ?? []
        let types = schema.types
        // Each of several types is a schema of its own; values of other types are stored as JSON.
        if all.isEmpty, types.count > 1, types.isSubset(of: ["string", "integer", "number"]),
            types.contains("string")
        {
            return types.sorted().map { type in
                .object(schema.members.map { $0.name == "type" ? ("type", .text(type)) : $0 })
            }
        }
        return all.filter { choice in
            let hasValue = choice["enum"]?.elements.contains { !$0.isNull && $0.word != "" } ?? true
            return !choice.members.isEmpty && type(of: choice) != "null" && hasValue
        }
    }

    // MARK: Types

    /// The declared type, ignoring null as an alternative, or the one that the rest of the schema suggests.
    private func type(of schema: JSONValue) -> String? {
        if let word = schema["type"]?.word { return word }
        if let words = schema["type"]?.elements.compactMap(\.word).filter({ $0 != "null" }), !words.isEmpty {
            return words.count == 1 ? words[0] : Set(words) == ["integer", "number"] ? "number" : nil
        }
        if schema["properties"] != nil { return "object" }
        if schema["items"] != nil { return "array" }
        if ["allOf", "oneOf", "anyOf"].contains(where: { schema[$0] != nil }) { return nil }
        if ["date-time", "date", "uuid", "uri", "email"].contains(schema["format"]?.word) { return "string" }
        let known = schema["const"] ?? schema["enum"]?.elements.first { !$0.isNull } ?? schema["example"]
        return switch known {
        case .text?: "string"
        case .bool?: "boolean"
        case .number(let text)?: Int64(text) == nil ? "number" : "integer"
        case .array?: "array"
        case .object?: "object"
        default: nil
        }
    }

    private func integer(_ schema: JSONValue, named name: String, _ variant: Int) -> String {
        if isNamedLikeKey(name) { return "\(variant + 1)" }
        // Only an example shows that a number is a time.
        let example = schema["example"]?.word.flatMap { Int64($0) } ?? 0
        let isTime = schema["format"]?.word == "unix-time" || example > 1_000_000_000
        return isTime ? "\(example > 1_000_000_000 ? example : 1_600_000_000)" : "7"
    }

    private func text(_ schema: JSONValue, named name: String, _ variant: Int) -> String {
        let format = schema["format"]?.word, example = schema["example"]?.word ?? ""
        let isTime = Timestamp(example) != nil
        // An example in another form shows that values would not be read as times.
        if isTime || example.isEmpty && (format == "date-time" || format == "date") {
            return "2020-01-0\(variant + 1)T00:00:00Z"
        }
        if format == "uuid" || isNamedLikeKey(name) { return "value-\(variant)" }
        let isNext = DraftPaging.isNext([name]) && Self.isAddress(schema["description"]?.word ?? "")
        let isAddress = format == "uri" || format == "url" || example.hasPrefix("https://") || isNext
        return isAddress ? "https://api.example.org/text" : "text"
    }

    /// Whether the words about a member call it an address.
    private static func isAddress(_ description: String) -> Bool {
        description.contains(/(?i)\b(?:ur[il]|link)\b(?![- ]?(?:safe|encoded))/)
            && !description.contains(/(?i)\b(?:cursor|token)\b/)
    }

    /// The last words of members with a value of its own in each row. Unlike the names of a key, they include parts of
    /// names (`owner_id`), because such values differ, too.
    private static let lastWordsOfKeys: Set<String> = [
        "id", "uuid", "guid", "gid", "sid", "oid", "uid", "key", "slug", "login", "sha", "identifier",
    ]

    /// Whether values of a member with this name differ between rows.
    private func isNamedLikeKey(_ name: String) -> Bool {
        let folded = DraftWords.folded(name)
        if ["username", "code", "handle"].contains(folded) { return true }
        if let keyVariable, DraftTable.isNamed(name, as: keyVariable) { return true }
        return DraftWords.split(name).last.map { Self.lastWordsOfKeys.contains($0) } ?? false
    }
}
