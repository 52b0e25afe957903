import HTTPTypes

/// The name of the budget that a request uses, as in `X-RateLimit-Resource`.
///
/// The answer states it. Before the answer, the path is enough, because search has its own budgets.
enum RateLimitResource {
    /// The name under which a limit on all requests is kept.
    static let secondary = "secondary"
    /// The budget of most requests.
    static let core = "core"

    static func name(_ request: HTTPRequest) -> String {
        let segments = path(request).split(separator: "/")
        switch segments.first {
        case "search": return segments.dropFirst().first == "code" ? "code_search" : "search"
        case "graphql": return "graphql"
        default: return core
        }
    }

    /// Whether the request asks for the remaining budget, which is free (GitHub's REST API, "Rate limit").
    static func isAboutLimits(_ request: HTTPRequest) -> Bool { path(request) == "/rate_limit" }

    /// The path without the prefix that GitHub Enterprise Server has.
    private static func path(_ request: HTTPRequest) -> Substring {
        let path = (request.path ?? "/").prefix { $0 != "?" }
        return path.hasPrefix("/api/v3/") ? path.dropFirst("/api/v3".count) : path
    }
}
