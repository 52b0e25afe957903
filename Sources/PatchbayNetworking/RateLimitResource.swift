import HTTPTypes

/// The name of the budget that a request uses, as `X-RateLimit-Resource` calls it.
///
/// The answer tells it. Before, the path tells enough: searching has budgets of its own.
enum RateLimitResource {
    /// The budget that a limit on all requests is kept as.
    static let secondary = "secondary"
    /// The budget of most questions.
    static let core = "core"

    static func name(_ request: HTTPRequest) -> String {
        let segments = path(request).split(separator: "/")
        switch segments.first {
        case "search": return segments.dropFirst().first == "code" ? "code_search" : "search"
        case "graphql": return "graphql"
        default: return core
        }
    }

    /// Whether the request asks how much is left, which is free (GitHub's REST API, "Rate limit").
    static func isAboutLimits(_ request: HTTPRequest) -> Bool { path(request) == "/rate_limit" }

    /// The path without the prefix that GitHub Enterprise Server has.
    private static func path(_ request: HTTPRequest) -> Substring {
        let path = (request.path ?? "/").prefix { $0 != "?" }
        return path.hasPrefix("/api/v3/") ? path.dropFirst("/api/v3".count) : path
    }
}
