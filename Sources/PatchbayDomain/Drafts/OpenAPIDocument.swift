package import PatchbayCore
package import PatchbayJSON

/// An OpenAPI 3 document, read as sample answers: each list and each row that it describes, with values of the types
/// that its schemas declare.
package struct OpenAPIDocument {
    private let root: JSONValue
    /// The targets of references into `components`, because a large document refers to them thousands of times.
    private let components: [String: JSONValue]
    /// The maximum number of values generated for one answer, because a schema may be large or refer to itself.
    private static let valuesMax = 5_000

    /// Nil for JSON that is not an OpenAPI 3 document.
    package init?(_ value: JSONValue) {
        guard value["openapi"]?.word?.hasPrefix("3") == true else { return nil }
        root = value
        var components: [String: JSONValue] = [:]
        for (section, members) in value["components"]?.members ?? [] {
            for (name, target) in members.members { components["#/components/\(section)/\(name)"] = target }
        }
        self.components = components
    }

    /// - Parameter address: the address of the document, to resolve a server given relative to it.
    package func samples(from address: HTTPAddress? = nil) -> [DraftSample] {
        let authorization = authorization, paths = root["paths"]?.members ?? []
        let variables = keyVariables(paths.map(\.name))
        return paths.compactMap { path, item in
            let item = resolved(item)
            // A path with characters that are not allowed in an address is not a literal path.
            guard let operation = item["get"], path.hasPrefix("/"),
                path.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) && $0 != "#" }),
                let response = response(of: operation)
            else { return nil }
            let server = server(of: [operation, item, root], from: address)
            let start = String((server ?? DraftSample.unknownOrigin).reversed().drop { $0 == "/" }.reversed())
            let variable = variables[OpenAPIDocument.stem(path)]
            guard let address = HTTPAddress(start + path.prefix { $0 != "?" }),
                let body = body(of: response, keyVariable: variable)
            else { return nil }
            var sample = DraftSample(body, at: address)
            sample.isDescribed = true
            sample.keyVariable = variable
            sample.parameters =
                DraftSample.items(ofQuery: path.drop { $0 != "?" }.dropFirst()) + parameters(item, operation)
            sample.options = options(item, operation)
            sample.authorization = authorization
            let hasLink = response["headers"]?.members.contains { $0.name.lowercased() == "link" } ?? false
            sample.next = hasLink ? address.text : nil
            return sample
        }
    }

    /// A path without its query and without `.json`, by which the path of a list and those of its rows begin.
    private static func stem(_ path: some StringProtocol) -> String {
        let path = path.prefix { $0 != "?" }
        return path.hasSuffix(".json") ? String(path.dropLast(".json".count)) : String(path)
    }

    /// The variable that names a row of each list: `pet_id` for `/pets` if there is a path `/pets/{pet_id}`.
    private func keyVariables(_ paths: [String]) -> [String: String] {
        var variables: [String: String] = [:]
        for path in paths {
            let path = OpenAPIDocument.stem(path)
            guard let slash = path.lastIndex(of: "/") else { continue }
            let last = path[path.index(after: slash)...], word = last.dropFirst().dropLast()
            guard last.hasPrefix("{"), last.hasSuffix("}"), !word.contains(where: { "{}".contains($0) })
            else {
                continue
            }
            variables[String(path[..<slash])] = variables[String(path[..<slash])] ?? String(word)
        }
        return variables
    }

    // MARK: Servers

    /// The address of the first absolute server, or of the first one relative to the document; nil if both are unknown.
    ///
    /// - Parameter holders: an operation, its path and the document, of which the first with servers applies.
    private func server(of holders: [JSONValue], from document: HTTPAddress?) -> String? {
        let holder = holders.first { !($0["servers"]?.elements ?? []).isEmpty }
        let servers = (holder?["servers"]?.elements ?? []).compactMap(OpenAPIDocument.url)
        if let document { return document.resolving(servers.first ?? "/")?.text }
        if let absolute = servers.lazy.compactMap({ HTTPAddress($0) }).first { return absolute.text }
        return servers.lazy.filter { $0.hasPrefix("/") }
            .compactMap { HTTPAddress(DraftSample.unknownOrigin)?.resolving($0)?.text }.first
    }

    /// The address of a server, with the default values of its variables. One without a default keeps its name.
    private static func url(of server: JSONValue) -> String? {
        guard let url = server["url"]?.word else { return nil }
        let known = (server["variables"]?.members ?? []).reduce(url) { url, variable in
            guard let value = variable.value["default"]?.word, !value.isEmpty else { return url }
            return url.replacing("{\(variable.name)}", with: value)
        }
        return known.replacing(/\{([^{}]*)\}/) { DraftWords.name(String($0.output.1), other: "value") }
    }

    // MARK: Parameters

    /// The query parameters of an operation and its path, of which the operation's own apply.
    private func queryParameters(_ item: JSONValue, _ operation: JSONValue) -> [JSONValue] {
        var found: [(name: String, parameter: JSONValue)] = []
        for parameter in [item, operation].flatMap({ $0["parameters"]?.elements ?? [] }) {
            let parameter = resolved(parameter)
            guard parameter["in"]?.word == "query", let name = parameter["name"]?.word else { continue }
            if let place = found.firstIndex(where: { $0.name == name }) {
                found[place].parameter = parameter
            } else {
                found.append((name, parameter))
            }
        }
        return found.map(\.parameter)
    }

    /// A page that is not larger is requested even if more is allowed.
    private static let pageRowsMax: Int64 = 1_000

    /// The parameters that a list requires, and those that select its pages.
    private func parameters(_ item: JSONValue, _ operation: JSONValue) -> [(name: String, value: String)] {
        queryParameters(item, operation).compactMap { parameter in
            let name = parameter["name"]?.word ?? "", folded = DraftWords.folded(name)
            let schema = parameter["schema"].map(resolved) ?? parameter
            if let number = number(folded, parameter, schema) { return (name, number) }
            guard parameter["required"]?.isTrue == true else { return nil }
            let values = schema["enum"]?.elements ?? []
            let only =
                schema["default"]?.word ?? schema["const"]?.word ?? (values.count == 1 ? values[0].word : nil)
            return (name, only ?? "{\(name)}")
        }
    }

    /// The value of a parameter that selects a page or its size; nil for another parameter.
    private func number(_ name: String, _ parameter: JSONValue, _ schema: JSONValue) -> String? {
        func declared(_ key: String) -> Int64? { schema[key]?.word.flatMap { Int64($0) } }
        let type = schema["type"]?.word ?? schema["type"]?.elements.first?.word
        let example = schema["example"] ?? parameter["example"]
        let isNumber =
            type == nil || type == "integer" || type == "number"
            || type == "string" && schema["format"] == nil
                && (declared("default") ?? example?.word.flatMap { Int64($0) }) != nil
        guard isNumber else { return nil }
        if DraftPaging.limits.contains(name) {
            let size = declared("maximum").map { min($0, Self.pageRowsMax) } ?? declared("default") ?? 0
            return size > 0 ? "\(size)" : nil
        }
        let description = parameter["description"]?.word?.lowercased() ?? ""
        let isFromZero = ["zero-based", "zero based", "zero-indexed", "0-based", "0-indexed"].contains {
            description.contains($0)
        }
        if DraftPaging.numbers.contains(name) {
            return isFromZero || (declared("default") ?? declared("minimum")) == 0 ? "0" : "1"
        }
        guard DraftPaging.offsets.contains(name) else { return nil }
        return !isFromZero && (declared("default") ?? declared("minimum")) == 1 ? "1" : "0"
    }

    /// The names of the parameters that may be a cursor.
    private func options(_ item: JSONValue, _ operation: JSONValue) -> [String] {
        queryParameters(item, operation).compactMap { parameter in
            let schema = parameter["schema"].map(resolved) ?? parameter
            let isOther =
                number(DraftWords.folded(parameter["name"]?.word ?? ""), parameter, schema) != nil
                || schema["format"]?.word?.hasPrefix("date") == true
                || ["boolean", "array", "object"].contains(schema["type"]?.word)
            return isOther ? nil : parameter["name"]?.word
        }
    }

    // MARK: Credentials

    /// The first way to send credentials that a definition can express: one that the document requires everywhere, else
    /// the one that most of its lists require, else the first.
    private var authorization: Definition.Authorization? {
        let schemes = (root["components"]?["securitySchemes"]?.members ?? []).map {
            ($0.name, resolved($0.value))
        }
        var counts: [String: Int] = [:]
        for (_, item) in root["paths"]?.members ?? [] {
            let requirements = resolved(item)["get"]?["security"]?.elements ?? []
            for name in Set(requirements.flatMap(\.members).map(\.name)) { counts[name, default: 0] += 1 }
        }
        let everywhere = (root["security"]?.elements ?? []).flatMap(\.members).map(\.name)
        func rank(_ name: String) -> Int {
            if let place = everywhere.firstIndex(of: name) { return place - everywhere.count - 1_000_000 }
            return -(counts[name] ?? 0)
        }
        let ranked = schemes.enumerated().sorted { left, right in
            (rank(left.element.0), left.offset) < (rank(right.element.0), right.offset)
        }
        return ranked.lazy.compactMap { OpenAPIDocument.authorization($0.element.1) }.first
    }

    private static func authorization(_ scheme: JSONValue) -> Definition.Authorization? {
        let name = scheme["name"]?.word ?? ""
        let found: Definition.Authorization? =
            switch (scheme["type"]?.word, scheme["scheme"]?.word?.lowercased(), scheme["in"]?.word) {
            case ("http", "bearer", _), ("oauth2", _, _), ("openIdConnect", _, _): .bearer
            case ("http", "basic", _): .basic
            case ("apiKey", _, "header"):
                header(name, described: scheme["description"]?.word ?? "")
            case ("apiKey", _, "query"): .query(name: name)
            default: nil
            }
        // A name with spaces has no spelling.
        guard let found, (try? DefinitionReader.authorization(found.words)) == found,
            DraftText.line("auth", found.words) != nil
        else { return nil }
        return found
    }

    /// A header with a key. Documents often declare a bearer token this way, and its prefix only in words.
    private static func header(_ name: String, described text: String) -> Definition.Authorization {
        guard name.lowercased() == "authorization" else { return .header(name: name, prefix: nil) }
        if text.lowercased().contains("bearer") { return .bearer }
        let prefix = text.firstMatch(of: /prefix "([A-Za-z]+)"/).map { String($0.output.1) }
        return .header(name: name, prefix: prefix)
    }

    // MARK: Answers

    /// A successful answer.
    private func response(of operation: JSONValue) -> JSONValue? {
        let responses = operation["responses"]
        return ["200", "2XX", "2xx", "201", "202", "203", "206", "default"].lazy.compactMap { responses?[$0] }
            .first.map(resolved)
    }

    private func body(of response: JSONValue, keyVariable: String?) -> JSONValue? {
        let content = response["content"]?.members ?? []
        let media =
            content.first { DraftWords.split($0.name).contains("json") } ?? content.first { $0.name == "*/*" }
        guard let media = media?.value else { return nil }
        let schema = media["schema"].map(resolved)
        var values = OpenAPIValues(document: self, keyVariable: keyVariable, left: Self.valuesMax)
        let value = schema.map { values.answer($0) } ?? .null
        // A document without schemas may still have an example.
        if value.isEmpty, let example = example(media) ?? schema.flatMap(example) { return example }
        return schema == nil ? nil : value
    }

    private func example(_ holder: JSONValue) -> JSONValue? {
        let examples = holder["examples"]
        let named = (examples?.members.map(\.value) ?? []).lazy.compactMap { resolved($0)["value"] }.first
        guard let example = holder["example"] ?? named ?? examples?.elements.first else { return nil }
        // Some tools write the example as a text.
        guard case .text(let text) = example, let value = try? JSONValue(Array(text.utf8)) else {
            return example
        }
        return value
    }

    /// The target of a reference; any other value unchanged. Circular references become null.
    func resolved(_ value: JSONValue) -> JSONValue {
        var value = value, hops = 0
        while let reference = value["$ref"]?.word {
            hops += 1
            guard hops < 50, reference.hasPrefix("#/") else { return .null }
            value = components[reference] ?? target(of: reference)
        }
        return value
    }

    private func target(of reference: String) -> JSONValue {
        let steps = reference.dropFirst(2).split(separator: "/", omittingEmptySubsequences: false).map {
            PercentEncoding.decoded($0).unescapedFromPath
        }
        return steps.reduce(Optional(root)) { value, step in
            guard let value else { return nil }
            return value[step]
                ?? Int(step).flatMap { value.elements.indices.contains($0) ? value.elements[$0] : nil }
        } ?? .null
    }
}

extension JSONValue {
    fileprivate var isTrue: Bool { if case .bool(true) = self { true } else { false } }

    /// Whether a generated answer has no members.
    fileprivate var isEmpty: Bool {
        switch self {
        case .null: true
        case .object(let members): members.isEmpty
        case .array(let elements): elements.allSatisfy(\.isEmpty)
        default: false
        }
    }
}
