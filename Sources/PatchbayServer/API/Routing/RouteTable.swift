import HTTPTypes

/// All operations of the API.
struct RouteTable: Sendable {
    let routes: [Route]

    init(_ routes: [Route]) { self.routes = routes }

    /// The result of looking up a path.
    enum Match: Sendable {
        case route(Route, values: [String: String])
        /// The path exists, but not for this method.
        case otherMethods([HTTPRequest.Method])
        case nothing
    }

    /// Returns the operation for a method at a path, preferring the one with the fewest parameters. `HEAD` is treated
    /// as `GET`.
    ///
    /// - Parameter isOffered: whether the operation exists at the path.
    func match(
        _ method: HTTPRequest.Method, _ path: [String],
        where isOffered: (Route, _ values: [String: String]) -> Bool = { _, _ in true }
    ) -> Match {
        var found: (route: Route, values: [String: String])?
        var methods: [HTTPRequest.Method] = []
        for route in routes {
            guard let values = route.path.values(of: path), isOffered(route, values) else { continue }
            methods.append(route.method)
            guard route.method == (method == .head ? .get : method),
                route.path.parameterCount < found?.route.path.parameterCount ?? .max
            else { continue }
            found = (route, values)
        }
        if let found { return .route(found.route, values: found.values) }
        return methods.isEmpty ? .nothing : .otherMethods(methods)
    }

    /// Returns the `Allow` field for some methods.
    static func allow(_ methods: [HTTPRequest.Method]) -> String {
        var names = methods.map(\.rawValue)
        if methods.contains(.get) { names.append(HTTPRequest.Method.head.rawValue) }
        names.append(HTTPRequest.Method.options.rawValue)
        var distinct: [String] = []
        for name in names where !distinct.contains(name) { distinct.append(name) }
        return distinct.joined(separator: ", ")
    }
}
