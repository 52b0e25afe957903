import PatchbayCore
import PatchbayDomain

/// The address at the source's server that a path of this server stands for.
struct ProxyTarget: Sendable {
    let base: HTTPAddress
    /// The path of the base, without a slash at its end.
    private let basePath: String
    private let alias: String?

    /// Nil when the source's address is none.
    init?(_ upstream: Upstream) {
        guard let base = HTTPAddress(upstream.baseURL) else { return nil }
        self.base = base
        basePath = base.path == "/" ? "" : base.path
        alias = upstream.pathAlias
    }

    /// The path at the source's server; nil for one that leads out of the base.
    ///
    /// With `/api/v3` as another spelling of the base, which clients of a self-hosted server use, `/api/graphql` is
    /// what they use beside it.
    func path(for path: String) -> String? {
        guard !Self.leadsOut(path) else { return nil }
        guard let alias else { return basePath + path }
        if path == "/api/graphql" || path == "/graphql" {
            return basePath.isEmpty ? "/graphql" : "/api/graphql"
        }
        for prefix in [alias + "/", alias + "?"] where path.hasPrefix(prefix) {
            let rest = path.dropFirst(alias.count)
            return basePath + (rest.hasPrefix("/") ? "" : "/") + rest
        }
        return basePath + (path == alias ? "/" : path)
    }

    /// Whether a path has a segment `.` or `..`, percent-encoded or not: servers resolve it before they look for it.
    private static func leadsOut(_ path: String) -> Bool {
        // Most paths have nothing that could be one.
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) else {
            return false
        }
        let segments = path.prefix { $0 != "?" }.split { $0 == "/" || $0 == "\\" }
        return segments.contains { segment in
            guard segment.utf8.count <= 6, segment.hasPrefix(".") || segment.hasPrefix("%") else {
                return false
            }
            let decoded = PercentEncoding.decoded(segment)
            return decoded == "." || decoded == ".."
        }
    }
}
