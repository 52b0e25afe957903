package import PatchbayCore
import PatchbayDomain
package import PatchbayJSON

/// An OpenAPI 3 document, read as sample answers: each list and each row that it describes, with values of the types
/// that its schemas declare.
package struct OpenAPIDocument {
    let root: JSONValue
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

    var paths: [(name: String, value: JSONValue)] { root["paths"]?.members ?? [] }

    /// Whether paths or their operations are in other files.
    package var refersToFiles: Bool {
        paths.contains { _, item in
            [item, item["get"] ?? .null].contains { $0["$ref"]?.word?.hasPrefix("#") == false }
        }
    }

    /// - Parameter address: the address of the document, to resolve a server given relative to it.
    package func samples(from address: HTTPAddress? = nil) -> [DraftSample] {
        let authorization = authorization, variables = keyVariables
        return paths.compactMap { path, item in
            var sample = sample(path, resolved(item), variables[OpenAPIDocument.stem(path)], from: address)
            sample?.authorization = authorization
            return sample
        }
    }

    /// Nil for a path without a GET that returns JSON.
    private func sample(
        _ path: String, _ item: JSONValue, _ keyVariable: String?, from document: HTTPAddress?
    ) -> DraftSample? {
        // A path with characters that are not allowed in an address is not a literal path.
        let isPath = path.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) && $0 != "#" }
        guard let operation = item["get"], path.hasPrefix("/"), isPath,
            let response = response(of: operation)
        else { return nil }
        let server = server(of: [operation, item, root], from: document)
        let start = (server?.url ?? DraftSample.unknownOrigin).prefix { $0 != "?" }
        let base = start.hasSuffix("/") ? start.dropLast() : start
        guard let address = HTTPAddress("\(base)\(path.prefix { $0 != "?" })"),
            let body = body(of: response, keyVariable: keyVariable)
        else { return nil }
        var sample = DraftSample(body, at: address)
        sample.isDescribed = true
        sample.keyVariable = keyVariable
        sample.parameters =
            PercentEncoding.items(ofQuery: path.drop { $0 != "?" }.dropFirst()) + parameters(item, operation)
        sample.options = options(item, operation)
        sample.headers = headers(item, operation)
        sample.assumed = server?.assumed ?? []
        let hasLink = response["headers"]?.members.contains { $0.name.lowercased() == "link" } ?? false
        sample.next = hasLink ? address.text : nil
        return sample
    }

    /// A path without its query, `.json` and last slash, by which the path of a list and those of its rows begin.
    private static func stem(_ path: String) -> String {
        let path = path.prefix { $0 != "?" }
        return String(
            path.hasSuffix(".json")
                ? path.dropLast(".json".count) : path.hasSuffix("/") ? path.dropLast() : path)
    }

    /// The variable that names a row of each list: `pet_id` for `/pets` if there is a path `/pets/{pet_id}`.
    private var keyVariables: [String: String] {
        var variables: [String: String] = [:]
        for (path, _) in paths {
            let path = OpenAPIDocument.stem(path)
            guard let (_, list, word) = path.wholeMatch(of: /(.*)\/\{([^{}]*)\}/)?.output else { continue }
            variables[String(list)] = variables[String(list)] ?? String(word)
        }
        return variables
    }

    // MARK: Servers

    /// The address of the first absolute server, or of the first one relative to the document; nil if both are unknown.
    ///
    /// - Parameter holders: an operation, its path and the document, of which the first with servers applies.
    private func server(
        of holders: [JSONValue], from document: HTTPAddress?
    ) -> (url: String, assumed: [String])? {
        let holder = holders.first { !($0["servers"]?.elements ?? []).isEmpty }
        let servers = (holder?["servers"]?.elements ?? []).compactMap(OpenAPIDocument.url)
        if let document {
            let (first, assumed) = servers.first ?? ("/", [])
            return document.resolving(first).map { ($0.text, assumed) }
        }
        if let absolute = servers.first(where: { HTTPAddress($0.url) != nil }) { return absolute }
        return servers.lazy.filter { $0.url.hasPrefix("/") }.compactMap { url, assumed in
            HTTPAddress(DraftSample.unknownOrigin)?.resolving(url).map { ($0.text, assumed) }
        }.first
    }

    /// The address of a server, with the default values of its variables, and their names. A variable without a default
    /// is replaced by its name.
    private static func url(of server: JSONValue) -> (url: String, assumed: [String])? {
        guard let url = server["url"]?.word else { return nil }
        var assumed: [String] = []
        let filled = url.replacing(/\{+([^{}]*)\}+/) { match in
            let name = String(match.output.1), value = server["variables"]?[name]?["default"]?.word ?? ""
            assumed.append(name)
            return value.isEmpty ? DraftWords.name(name, other: "value") : value
        }
        return (filled, assumed)
    }

    // MARK: Answers

    /// A successful answer.
    private func response(of operation: JSONValue) -> JSONValue? {
        let responses = operation["responses"]
        return ["200", "2XX", "201", "202", "default"].lazy.compactMap { responses?[$0] }
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
        return steps.reduce(Optional(root)) { $0?[step: $1] } ?? .null
    }
}

extension JSONValue {
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
