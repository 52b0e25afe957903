import HTTPTypes

/// All operations of the API.
struct RouteTable: Sendable {
    let routes: [Route]

    init(_ routes: [Route]) { self.routes = routes }

    /// What a path leads to.
    enum Match: Sendable {
        case route(Route, values: [String: String])
        /// There is something, but not for this method.
        case otherMethods([HTTPRequest.Method])
        case nothing
    }

    /// The operation for a method at a path; of several the one with the fewest parameters. `HEAD` means `GET`.
    ///
    /// - Parameter isOffered: whether there is the operation at such a path.
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

    /// The field `Allow` for some methods.
    static func allow(_ methods: [HTTPRequest.Method]) -> String {
        var names = methods.map(\.rawValue)
        if methods.contains(.get) { names.append(HTTPRequest.Method.head.rawValue) }
        names.append(HTTPRequest.Method.options.rawValue)
        var distinct: [String] = []
        for name in names where !distinct.contains(name) { distinct.append(name) }
        return distinct.joined(separator: ", ")
    }
}
