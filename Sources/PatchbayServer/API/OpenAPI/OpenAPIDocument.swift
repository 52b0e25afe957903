import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The OpenAPI 3.1 description of the API: the operations of the route table, repeated for each resource with its
/// fields, indexes and lists.
struct OpenAPIDocument {
    private let gateways: ServedGateways
    private let routes: RouteTable

    init(_ gateways: ServedGateways, _ routes: RouteTable) {
        self.gateways = gateways
        self.routes = routes
    }

    var json: JSONValue {
        [
            "openapi": "3.1.0",
            "info": [
                "title": "Patchbay", "version": .text(PatchbayVersion.current),
                "description": "Rows of sources, answered from local storage first.",
            ],
            "servers": [["url": "/-"]],
            // A socket needs no token, and neither does a server without a token or credentials of a source.
            "security": [["bearer": []], ["field": []], .object([])],
            "paths": .object(paths.map { ($0.path, .object($0.operations)) }),
            "components": [
                "schemas": .object(
                    [("Problem", Problem.schema)]
                        + gateways.resources.map { ($0.name, $0.schema) }),
                "responses": [
                    "Problem": Self.problem("The reason why the request failed (RFC 9457)."),
                    "Unauthorized": Self.problem("The token of the server is needed and missing or wrong."),
                ],
                "securitySchemes": [
                    "bearer": ["type": "http", "scheme": "bearer"],
                    "field": ["type": "apiKey", "in": "header", "name": "Patchbay-Token"],
                ],
            ],
        ]
    }

    private static func problem(_ description: String) -> JSONValue {
        [
            "description": .text(description),
            "content": ["application/problem+json": ["schema": ["$ref": "#/components/schemas/Problem"]]],
        ]
    }

    /// The paths with their operations.
    var paths: [(path: String, operations: [(name: String, value: JSONValue)])] {
        var paths: [(path: String, operations: [(name: String, value: JSONValue)])] = []
        for (path, route, served, isShadow) in places {
            let operation = OpenAPIOperation(route, of: served, among: gateways.resources, at: path)
            let member = (route.method.rawValue.lowercased(), operation.json(isShadow: isShadow))
            if let place = paths.firstIndex(where: { $0.path == path }) {
                paths[place].operations.append(member)
            } else {
                paths.append((path, [member]))
            }
        }
        return paths
    }

    private typealias Place = (path: String, route: Route, served: ServedResource?, isShadow: Bool)

    /// Each route at each of its paths, including the methods that a path with fewer parameters leaves to another
    /// template.
    private var places: [Place] {
        routes.routes.flatMap { route in
            let resources: [ServedResource?] = route.path.text.contains("{name}") ? gateways.resources : [nil]
            return resources.flatMap { served -> [Place] in
                guard served.map(route.isOffered) ?? true else { return [] }
                let own: Place = (path(route, served), route, served, false)
                return [own]
                    + shadowed(by: route, served).map { (own.path, $0, served, true) }
            }
        }
    }

    private func shadowed(by route: Route, _ served: ServedResource?) -> [Route] {
        routes.routes.filter { other in
            other.path != route.path && other.path.covers(route.path)
                && other.path.parameterCount > route.path.parameterCount
                && !routes.routes.contains { $0.path == route.path && $0.method == other.method }
                && served.map(other.isOffered) ?? true
        }
    }

    private func path(_ route: Route, _ served: ServedResource?) -> String {
        served.map { route.path.text.replacing("{name}", with: $0.name) } ?? route.path.text
    }
}

extension ServedResource {
    /// The schema of a row. No field is required, because a request can choose fields.
    var schema: JSONValue {
        [
            "type": "object", "additionalProperties": false,
            "properties": .object(
                records.names.all.map { ($0, schema(of: $0)) } + notes.map { ($0.rawValue, $0.schema) }),
        ]
    }

    private func schema(of name: String) -> JSONValue {
        let isKey = resource.declaration.key.contains(name)
        func type(_ word: String) -> JSONValue { isKey ? .text(word) : JSONValue([word, "null"]) }
        return switch records.type(of: name) {
        case .text, nil: ["type": type("string")]
        case .integer: ["type": type("integer")]
        case .real: ["type": type("number")]
        case .boolean: ["type": type("boolean")]
        case .time: ["type": type("string"), "format": "date-time"]
        case .json: [:]
        }
    }
}

extension Route {
    static let openAPI = Route(
        method: .get, path: "/openapi.json", operation: "openAPI", summary: "This description.",
        content: .schema(["type": "object"])
    ) { request, api in
        api.response(request, api.openAPI())
    }
}
