package import PatchbayCore
package import PatchbayJSON

/// An OpenAPI 3 document, read as sample answers: each list and each row that it describes, with values of the types
/// that its schemas declare.
package struct OpenAPIDocument {
    private let root: JSONValue
    /// The maximum number of values generated for one answer, because a schema may be large or refer to itself.
    private static let valuesMax = 5_000
    private static let depthMax = 8

    /// Nil for JSON that is not an OpenAPI 3 document.
    package init?(_ value: JSONValue) {
        guard value["openapi"]?.word?.hasPrefix("3") == true, value["paths"]?.isObject == true else {
            return nil
        }
        root = value
    }

    /// - Parameter address: the address of the document, to resolve a server given relative to it.
    package func samples(from address: HTTPAddress? = nil) -> [DraftSample] {
        let servers = (root["servers"]?.elements ?? []).compactMap(OpenAPIDocument.url)
        let base =
            address?.resolving(servers.first ?? "/") ?? servers.lazy.compactMap { HTTPAddress($0) }.first
        let authorization = authorization
        return (root["paths"]?.members ?? []).compactMap { path, item in
            let item = resolved(item)
            guard let operation = item["get"], path.hasPrefix("/"), let body = body(of: operation) else {
                return nil
            }
            let start = (base?.text ?? "https://api.example.org").reversed().drop { $0 == "/" }.reversed()
            // A path with characters that are not allowed in an address is not a literal path.
            let text =
                path.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) && $0 != "?" } ? path : nil
            guard let text, let address = HTTPAddress(String(start) + text) else { return nil }
            var sample = DraftSample(body, at: address)
            sample.isDescribed = true
            sample.parameters = parameters(item) + parameters(operation)
            sample.authorization = authorization
            return sample
        }
    }

    /// The address of a server, with the default values of its variables.
    private static func url(of server: JSONValue) -> String? {
        server["url"]?.word.map { url in
            (server["variables"]?.members ?? []).reduce(url) { url, variable in
                url.replacing("{\(variable.name)}", with: variable.value["default"]?.word ?? "")
            }
        }
    }

    /// The parameters that a list requires, and those that select its pages.
    private func parameters(_ holder: JSONValue) -> [(name: String, value: String)] {
        (holder["parameters"]?.elements ?? []).compactMap { parameter in
            let parameter = resolved(parameter)
            guard parameter["in"]?.word == "query", let name = parameter["name"]?.word else { return nil }
            let folded = DraftWords.folded(name), schema = parameter["schema"].map(resolved)
            if DraftPaging.limits.contains(folded) {
                return (schema?["maximum"] ?? schema?["default"])?.word.map { (name, $0) }
            }
            if DraftPaging.numbers.contains(folded) || DraftPaging.offsets.contains(folded) {
                return (name, DraftPaging.numbers.contains(folded) ? "1" : "0")
            }
            guard parameter["required"]?.isTrue == true else { return nil }
            return (name, schema?["default"]?.word ?? "{\(name)}")
        }
    }

    private var authorization: Definition.Authorization? {
        for (_, scheme) in root["components"]?["securitySchemes"]?.members ?? [] {
            let scheme = resolved(scheme), name = scheme["name"]?.word ?? ""
            switch (scheme["type"]?.word, scheme["scheme"]?.word?.lowercased(), scheme["in"]?.word) {
            case ("http", "bearer", _), ("oauth2", _, _), ("openIdConnect", _, _): return .bearer
            case ("http", "basic", _): return .basic
            case ("apiKey", _, "header") where !name.isEmpty: return .header(name: name, prefix: nil)
            case ("apiKey", _, "query") where !name.isEmpty: return .query(name: name)
            default: continue
            }
        }
        return nil
    }

    /// The body of a successful answer.
    private func body(of operation: JSONValue) -> JSONValue? {
        let responses = operation["responses"]
        guard let response = (responses?["200"] ?? responses?["2XX"] ?? responses?["default"]).map(resolved)
        else {
            return nil
        }
        let content = response["content"]?.members.first { DraftWords.split($0.name).contains("json") }
        guard let schema = content?.value["schema"] else { return nil }
        var values = OpenAPIValues(document: self, left: Self.valuesMax)
        return values.value(schema, variant: 0, depth: Self.depthMax)
    }

    /// The target of a reference; any other value unchanged. Circular references become null.
    func resolved(_ value: JSONValue) -> JSONValue {
        var value = value, hops = 0
        while let reference = value["$ref"]?.word {
            hops += 1
            guard hops < 50, reference.hasPrefix("#/") else { return .null }
            let steps = reference.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false).map {
                PercentEncoding.decoded($0).unescapedFromPath
            }
            value = steps.reduce(Optional(root)) { $0?[$1] } ?? .null
        }
        return value
    }
}

/// Values of the types that schemas declare.
private struct OpenAPIValues {
    let document: OpenAPIDocument
    var left: Int

    /// - Parameters:
    ///   - variant: which of two rows the value is for; identifying values differ between them.
    ///   - depth: the remaining depth of nested objects and arrays.
    mutating func value(_ schema: JSONValue, named name: String = "", variant: Int, depth: Int) -> JSONValue {
        let schema = document.resolved(schema)
        left -= 1
        guard left > 0, depth > 0 else { return .null }
        if let choice = choices(of: schema, variant) {
            return value(choice, named: name, variant: variant, depth: depth - 1)
        }
        if schema["allOf"] != nil || schema["properties"] != nil {
            return .object(properties(schema, variant: variant, depth: depth))
        }
        let isKey = isNamedLikeKey(name)
        switch type(of: schema) {
        case "array":
            guard let items = schema["items"] else { return .array([]) }
            return .array((0...1).map { value(items, variant: $0, depth: depth - 1) })
        case "object": return .object([])
        case "boolean": return .bool(true)
        case "integer": return .number(String(isKey ? variant + 1 : 7))
        case "number": return .number("1.5")
        case "string" where schema["format"]?.word == "date-time":
            return .text("2020-01-0\(variant + 1)T00:00:00Z")
        case "string": return .text(isKey || schema["format"]?.word == "uuid" ? "value-\(variant)" : "text")
        // Without a type; stored as JSON.
        default: return .array([])
        }
    }

    private mutating func properties(
        _ schema: JSONValue, variant: Int, depth: Int
    ) -> [(name: String, value: JSONValue)] {
        var members: [(name: String, value: JSONValue)] = []
        for part in schema["allOf"]?.elements ?? [] where depth > 0 {
            left -= 1
            guard left > 0 else { return members }
            members += properties(document.resolved(part), variant: variant, depth: depth - 1)
        }
        for (name, property) in schema["properties"]?.members ?? [] {
            members.append((name, value(property, named: name, variant: variant, depth: depth - 1)))
        }
        return members
    }

    /// One of several schemas: the only one that is not null, otherwise one for each variant.
    private func choices(of schema: JSONValue, _ variant: Int) -> JSONValue? {
        let all = (schema["oneOf"] ?? schema["anyOf"])?.elements.map(document.resolved) ?? []
        let choices = all.filter { type(of: $0) != "null" }
        return choices.isEmpty ? nil : choices[variant % choices.count]
    }

    /// The declared type, ignoring null as an alternative.
    private func type(of schema: JSONValue) -> String? {
        if let word = schema["type"]?.word { return word }
        let words = schema["type"]?.elements.compactMap(\.word).filter { $0 != "null" } ?? []
        return words.count == 1 ? words[0] : nil
    }

    private func isNamedLikeKey(_ name: String) -> Bool {
        let words = DraftWords.split(name)
        return ["id", "uuid", "guid", "key", "slug", "login", "sha"].contains(words.last)
    }
}

extension JSONValue {
    fileprivate var isTrue: Bool { if case .bool(true) = self { true } else { false } }
}
