package import PatchbayCore
import PatchbayDomain
package import PatchbayJSON

/// An OpenAPI 3 or Swagger 2 document, read as sample answers: each list and each row that it describes, with values of
/// the types that its schemas declare.
package struct OpenAPIDocument {
    let root: JSONValue
    let isSwagger: Bool
    let paths: [(name: String, value: JSONValue)]
    /// The targets of references into `components`, because a large document refers to them thousands of times.
    private let components: [String: JSONValue]
    private let files: DescriptionFiles
    /// The maximum number of values generated for one answer, because a schema may be large or refer to itself.
    private static let valuesMax = 5_000

    /// Nil for a value that is not such a document.
    ///
    /// - Parameter reading: reads a file to which the document refers, by its path relative to the document's folder;
    ///   nil for one that does not exist or is outside the folder.
    /// - Throws: `invalidValue` for too many files, and the errors of reading one.
    package init?(
        _ value: JSONValue, reading: (_ path: String) throws -> [UInt8]? = { _ in nil }
    ) throws {
        var value = value
        isSwagger = value["swagger"]?.word?.hasPrefix("2") == true
        guard isSwagger || value["openapi"]?.word?.hasPrefix("3") == true else { return nil }
        files = try DescriptionFiles(of: &value, reading: reading)
        root = value
        paths = value["paths"]?.members ?? []
        var components: [String: JSONValue] = [:]
        for (section, members) in value["components"]?.members ?? [] {
            for (name, target) in members.members { components["#/components/\(section)/\(name)"] = target }
        }
        for section in ["definitions", "parameters", "responses"] where isSwagger {
            for (name, target) in value[section]?.members ?? [] {
                components["#/\(section)/\(name)"] = target
            }
        }
        self.components = components
    }

    /// The files and addresses to which the document refers, but which were not read.
    package var unreadFiles: [String] { files.unread }
    /// The files to which the document refers that are neither JSON nor YAML, with the reason.
    var unreadableFiles: [(path: String, reason: String)] { files.unreadable }

    /// - Parameter address: the address of the document, to resolve a server given relative to it.
    package func samples(from address: HTTPAddress? = nil) -> [DraftSample] {
        let declared = declaredAuthorization, authorization = declared ?? authorizationHeader
        let second = secondAuthorization(beside: authorization)
        let paths = paths.map { (name: filled($0.name, resolved($0.value)), value: $0.value) }
        let variables = OpenAPIDocument.keyVariables(paths.map(\.name))
        var samples = paths.compactMap { path, item in
            var sample = sample(path, resolved(item), variables[OpenAPIDocument.stem(path)], from: address)
            sample?.authorization = authorization
            sample?.isAuthorizationGuess = declared == nil
            sample?.secondAuthorization = second
            return sample
        }
        // Lists with the same parameter are probably paged in the same way.
        let linked = Set(samples.filter { $0.next != nil }.flatMap(\.cursorOptions))
        for place in samples.indices where samples[place].next == nil {
            samples[place].linkParameter = samples[place].cursorOptions.first(where: linked.contains)
        }
        return samples
    }

    /// Nil for a path without a GET that returns JSON.
    private func sample(
        _ path: String, _ item: JSONValue, _ keyVariable: String?, from document: HTTPAddress?
    ) -> DraftSample? {
        // A path with characters that are not allowed in an address is not a literal path.
        let isPath = path.unicodeScalars.allSatisfy { (0x21...0x7E).contains($0.value) && $0 != "#" }
        guard let operation = item["get"].map(resolved), path.hasPrefix("/"), isPath,
            let response = response(of: operation)
        else { return nil }
        let server = server(of: [operation, item, root], from: document)
        let start = (server?.url ?? DraftSample.unknownOrigin).prefix { $0 != "?" }
        let base = start.hasSuffix("/") ? start.dropLast() : start
        guard let address = HTTPAddress("\(base)\(path.prefix { $0 != "?" })"),
            let (body, presence) = self.body(of: response, to: operation, keyVariable: keyVariable)
        else { return nil }
        let query = query(item, operation)
        var sample = DraftSample(body, at: address)
        sample.isDescribed = true
        sample.keyVariable = keyVariable
        sample.presence = presence
        sample.parameters =
            PercentEncoding.items(ofQuery: path.drop { $0 != "?" }.dropFirst()) + parameters(query)
        sample.options = options(query)
        sample.cursorHeader = cursorHeader(response, query)
        sample.roles = Dictionary(query.map { ($0.name, $0.role) }) { _, last in last }
        sample.required = Set(query.filter(\.isRequired).map(\.name))
        sample.presets = query.compactMap { parameter in parameter.preset.map { (parameter.name, $0) } }
        sample.headers = headers(item, operation) + acceptHeader(response, operation)
        sample.assumed = server?.assumed ?? []
        let hasLink = response["headers"]?.members.contains { $0.name.lowercased() == "link" } ?? false
        sample.next = hasLink || mentionsLinkHeader(query) ? address.text : nil
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
    private static func keyVariables(_ paths: [String]) -> [String: String] {
        var variables: [String: String] = [:]
        for path in paths {
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
        if isSwagger { return swaggerServer(from: document).map { ($0, []) } }
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

    /// Swagger 2 has the parts of one address, of which the host and the scheme may be those of the document's.
    private func swaggerServer(from document: HTTPAddress?) -> String? {
        let path = root["basePath"]?.word ?? "/",
            schemes = (root["schemes"]?.elements ?? []).compactMap(\.word)
        guard let host = root["host"]?.word else {
            return (document ?? HTTPAddress(DraftSample.unknownOrigin))?.resolving(path)?.text
        }
        let known = document?.origin.prefix { $0 != ":" }
        let scheme = schemes.contains("https") ? "https" : schemes.first ?? known.map(String.init) ?? "https"
        return "\(scheme)://\(host)\(path.hasPrefix("/") ? path : "/" + path)"
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
    func response(of operation: JSONValue) -> JSONValue? {
        let responses = operation["responses"]
        return ["200", "2XX", "201", "202", "203", "206", "default"].lazy.compactMap { responses?[$0] }
            .first.map(resolved)
    }

    private func body(
        of response: JSONValue, to operation: JSONValue, keyVariable: String?
    ) -> (JSONValue, OpenAPIValues.Presence)? {
        guard let media = media(of: response, to: operation) else { return nil }
        let schema = media["schema"].map(resolved)
        var values = OpenAPIValues(document: self, keyVariable: keyVariable, left: Self.valuesMax)
        let value = schema.map { values.answer($0) } ?? .null
        // A document without schemas, or with a wrong one, may still have an example.
        let isBare = value.isBare || RowPlaces.all(in: value).isEmpty
        guard let example = example(media) ?? schema.flatMap(example) else {
            return schema == nil ? nil : (value, values.presence)
        }
        if isBare, value.isBare || !RowPlaces.all(in: example).isEmpty { return (example, values.presence) }
        return (value.filled(from: example), values.presence)
    }

    /// What the document says about the JSON answer to a request that accepts `application/json`: its schema and an
    /// example.
    func media(of response: JSONValue, to operation: JSONValue) -> JSONValue? {
        if isSwagger { return swaggerMedia(of: response, to: operation) }
        let content = response["content"]?.members ?? []
        let media =
            content.first { name, _ in name.prefix { $0 != ";" }.lowercased() == "application/json" }
            ?? content.first { Self.isJSON($0.name) } ?? content.first { $0.name == "*/*" }
        return media?.value
    }

    /// Swagger 2 has the schema in the response, and its types in the operation or the document.
    private func swaggerMedia(of response: JSONValue, to operation: JSONValue) -> JSONValue? {
        let types = ((operation["produces"] ?? root["produces"])?.elements ?? []).compactMap(\.word)
        let examples = response["examples"]?.members ?? []
        let example = (examples.first { Self.isJSON($0.name) })?.value
        let isJSON = types.isEmpty || types.contains { Self.isJSON($0) || $0 == "*/*" }
        guard isJSON, response["schema"] != nil || example != nil else { return nil }
        let members = [("schema", response["schema"]), ("example", example)]
        return .object(members.compactMap { name, value in value.map { (name: name, value: $0) } })
    }

    /// The type of JSON that requests must name, because the answer has another one than `application/json`.
    private func acceptHeader(
        _ response: JSONValue, _ operation: JSONValue
    ) -> [(name: String, value: String?)] {
        let produced = (operation["produces"] ?? root["produces"])?.elements.compactMap(\.word)
        let types = (isSwagger ? produced : response["content"]?.members.map(\.name)) ?? []
        let isUsual = types.contains { type in
            ["application/json", "application/*", "*/*"].contains(type.prefix { $0 != ";" }.lowercased())
        }
        guard !isUsual, let type = types.first(where: Self.isJSON) else { return [] }
        return Self.isValue(type, ofHeader: "accept") ? [("accept", type)] : []
    }

    private static func isJSON(_ type: String) -> Bool { DraftWords.split(type).contains("json") }

    func example(_ holder: JSONValue) -> JSONValue? {
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
            guard hops < 50 else { return .null }
            value = components[reference] ?? target(of: reference)
        }
        return value
    }

    private func target(of reference: String) -> JSONValue {
        let parts = reference.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let tree = parts[0].isEmpty ? root : files.trees[String(parts[0])]
        let steps = (parts.count > 1 ? parts[1] : "").split(separator: "/", omittingEmptySubsequences: false)
        return steps.dropFirst().reduce(tree) {
            $0?[step: PercentEncoding.decoded($1).unescapedFromPath]
        } ?? .null
    }
}

extension JSONValue {
    /// Whether a generated value has no members, because its schema declares none.
    var isBare: Bool {
        switch self {
        case .null: true
        case .object(let members): members.isEmpty
        case .array(let elements): elements.allSatisfy(\.isBare)
        default: false
        }
    }

    /// A generated answer with an example's rows in place of those for which a schema declares no members. Objects are
    /// left as they are, because those in a row may have any names: labels, translations.
    fileprivate func filled(from example: JSONValue) -> JSONValue {
        switch (self, example) {
        case (.object(let members), .object(let others)) where !members.isEmpty && !others.isEmpty:
            .object(members.map { ($0.name, example[$0.name].map($0.value.filled) ?? $0.value) })
        case (.array, .array): isBare && !example.isBare ? example : self
        default: self
        }
    }
}
