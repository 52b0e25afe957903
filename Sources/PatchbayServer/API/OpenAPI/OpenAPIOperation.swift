import HTTPTypes
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The OpenAPI description of a route's operation.
struct OpenAPIOperation {
    private let route: Route
    private let served: ServedResource?
    private let resources: [ServedResource]
    private let path: String

    /// - Parameters:
    ///   - served: the resource that the operation belongs to; nil if there is none.
    ///   - path: the path, including the resource's name.
    init(
        _ route: Route, of served: ServedResource?, among resources: [ServedResource], at path: String
    ) {
        self.route = route
        self.served = served
        self.resources = resources
        self.path = path
    }

    /// - Parameter isShadow: whether the path fixes a value of a parameter in the route's own path.
    func json(isShadow: Bool) -> JSONValue {
        let id = ([route.operation] + (served.map { [$0.name] } ?? []) + (isShadow ? ["here"] : []))
            .joined(separator: ".")
        var members: [(name: String, value: JSONValue)] = [
            ("operationId", .text(id)), ("summary", .text(route.summary)),
            ("tags", [.text(served?.name ?? "server")]),
            ("parameters", .array(parameters(isShadow: isShadow))),
        ]
        if isPublic { members.append(("security", [])) }
        if let body = requestBody { members.append(("requestBody", body)) }
        members.append(("responses", responses))
        return .object(members)
    }

    private var isPublic: Bool { TrustRule.isPublic(route.method, "/-" + route.path.text) }

    // MARK: - Request

    private func parameters(isShadow: Bool) -> [JSONValue] {
        pathParameters + route.parameters.map(queryParameter) + others + conditions(isShadow: isShadow)
    }

    private var pathParameters: [JSONValue] {
        PathTemplate(path).segments.compactMap { segment -> JSONValue? in
            guard case .parameter(let name) = segment, let parameter = Route.pathParameters[name] else {
                return nil
            }
            let names = served.map { JSONValue($0.resource.editable.map(\.name)) }
            let schema: JSONValue? = name == "field" ? names.map { ["enum": $0] } : nil
            return [
                "name": .text(name), "in": "path", "required": true, "description": .text(parameter.summary),
                "schema": schema ?? parameter.schema,
            ]
        }
    }

    /// Parameters whose names a client chooses.
    private var others: [JSONValue] {
        guard let others = route.others else { return [] }
        return [
            [
                "name": .text(others.name), "in": "query", "style": "form", "explode": true,
                "description": .text(others.summary),
                "schema": ["type": "object", "additionalProperties": others.schema],
            ]
        ]
    }

    private func queryParameter(_ parameter: Parameter) -> JSONValue {
        let single = schema(of: parameter)
        return [
            "name": .text(parameter.name), "in": "query", "required": .bool(parameter.isRequired),
            "description": .text(parameter.summary),
            "schema": parameter.isRepeated ? ["type": "array", "items": single] : single,
        ]
    }

    private func schema(of parameter: Parameter) -> JSONValue {
        switch parameter.kind {
        case .names where parameter.name == Parameter.fields.name:
            served.map { Self.list(of: $0.answerNames) } ?? parameter.schema
        case .names: Self.list(of: resources.map(\.name))
        default:
            names(for: parameter).map { ["type": "string", "enum": JSONValue($0)] } ?? parameter.schema
        }
    }

    /// The values of a parameter that names a resource, or an index or list of the operation's resource.
    private func names(for parameter: Parameter) -> [String]? {
        let names: [String] =
            switch parameter.name {
            case Parameter.resource.name: resources.map(\.name)
            case Parameter.by.name: served?.resource.namedIndexes.map(\.name) ?? []
            case Parameter.list.name: served?.resource.declaration.lists.compactMap(\.name) ?? []
            default: []
            }
        return names.isEmpty ? nil : names
    }

    /// Returns the schema of a comma-separated list of the names.
    private static func list(of names: [String]) -> JSONValue {
        let name = "(" + names.map { $0.replacing(".", with: "\\.") }.joined(separator: "|") + ")"
        return ["type": "string", "pattern": .text("^\(name)(,\(name))*$")]
    }

    /// A missing row is reported before a missing condition, and a row named like an operation is rare.
    private func conditions(isShadow: Bool) -> [JSONValue] {
        switch route.condition {
        case .none: []
        case .optional, .required:
            [
                [
                    "name": "If-Match", "in": "header",
                    "required": .bool(route.condition.isRequired && !isShadow),
                    "description": "The ETag of the row that the client has seen.",
                    "schema": ["type": "string"],
                ]
            ]
        }
    }

    private var requestBody: JSONValue? {
        guard let body = route.body,
            let schema = body.schema ?? served.map({ RowEdits.schema(of: $0.resource) })
        else { return nil }
        return [
            "required": true, "content": .object(body.mediaTypes.map { ($0, ["schema": schema]) }),
        ]
    }

    // MARK: - Response

    private var responses: JSONValue {
        var success: [(name: String, value: JSONValue)] = [
            ("description", .text(route.answers.isEmpty ? "Done." : "The answer."))
        ]
        if !route.answers.isEmpty {
            success.append(
                ("content", .object(route.answers.map { ($0.rawValue, ["schema": schema(of: $0)]) })))
        }
        let problem: JSONValue = ["$ref": "#/components/responses/Problem"]
        let refusal: [(name: String, value: JSONValue)] =
            isPublic ? [] : [("401", ["$ref": "#/components/responses/Unauthorized"])]
        return .object([(String(route.status.code), .object(success))] + refusal + [("default", problem)])
    }

    private func schema(of type: MediaType) -> JSONValue {
        switch type {
        case .json: break
        // Tools disagree on whether the schema describes the text or a single event.
        case .events, .picture: return [:]
        case .jsonLines, .ndjson, .metrics, .html: return ["type": "string"]
        }
        let row: JSONValue =
            served.map { ["$ref": .text("#/components/schemas/\($0.name)")] } ?? ["type": "object"]
        return switch route.content {
        case .any: [:]
        case .schema(let schema): schema
        case .row: row
        case .rows: ["type": "array", "items": row]
        case .found:
            [
                "type": "array",
                "items": [
                    "allOf": [
                        row,
                        [
                            "type": "object", "required": ["found_by"],
                            "properties": ["found_by": ["enum": ["source", "local"]]],
                        ],
                    ]
                ],
            ]
        }
    }
}

extension Route.Condition {
    fileprivate var isRequired: Bool { self == .required }
}
