import HTTPTypes
import PatchbayCore

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
        where isOffered: (Route, _ values: [String: String]) -> Bool
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
        let head: [HTTPRequest.Method] = methods.contains(.get) ? [.head] : []
        return (methods + head + [.options]).map(\.rawValue).distinct.joined(separator: ", ")
    }

    /// Every operation of the API.
    static let all = RouteTable(withoutQuestions.routes + [.query, .postQuery, .find])

    /// The operations of a program that neither answers SQL nor finds words.
    static let withoutQuestions = RouteTable([
        .home, .listResources, .listRows, .showRow, .editRow, .revertField, .addFavourite, .removeFavourite,
        .showPicture,
        .startSync, .listSyncs, .showSync, .interruptSync, .search, .recentSearches, .deniedSearches,
        .forgetRecentSearches, .forgetDeniedSearches, .listFavourites, .changes, .limits, .events, .live,
        .ready,
        .metrics,
        .openAPI,
    ])

    /// The operations that exist for a client. Searches are noted among those of the owner, and figures count rows and
    /// requests of all resources.
    func seen(by client: ClientOptions) -> RouteTable {
        let ofOwner: [Route] = [.search, .addFavourite, .removeFavourite, .listFavourites]
        let ofAll: [Route] = [
            .recentSearches, .deniedSearches, .forgetRecentSearches, .forgetDeniedSearches,
        ]
        let hidden =
            (client.isOwner ? [] : ofOwner) + (client.seesAll ? [] : ofAll)
            + (client.grants == nil ? [] : [.metrics])
        let names = Set(hidden.map(\.operation))
        return RouteTable(routes.filter { !names.contains($0.operation) })
    }
}
