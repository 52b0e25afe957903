import PatchbayCore
import PatchbayDomain

/// Maps paths of this server to addresses of the source's server.
final class ProxyTarget: Sendable {
    let base: HTTPAddress
    /// The scheme, host and port of the base.
    let origin: String
    /// The base without a trailing slash.
    let text: String
    /// The path of the base, without a trailing slash.
    private let basePath: String
    private let alias: String?

    /// Nil when the source's base URL is not an address.
    init?(_ upstream: Upstream) {
        guard let base = HTTPAddress(upstream.baseURL) else { return nil }
        self.base = base
        origin = base.origin
        text = base.path == "/" ? base.origin : base.text
        basePath = base.path == "/" ? "" : base.path
        alias = upstream.pathAlias
    }

    /// Returns the path at the source's server; nil for a path that leaves the base.
    ///
    /// Clients of a self-hosted server use `/api/v3` as an alias of the base, and `/api/graphql` beside it.
    func path(for path: String) -> String? {
        guard !Self.leadsOut(path) else { return nil }
        guard let alias else { return basePath + path }
        if path == "/api/graphql" || path == "/graphql" {
            return basePath.isEmpty ? "/graphql" : "/api/graphql"
        }
        guard path.hasPrefix(alias) else { return basePath + path }
        let rest = path.utf8.dropFirst(alias.utf8.count)
        switch rest.first {
        case UInt8(ascii: "/"): return basePath + Substring(rest)
        case UInt8(ascii: "?"), nil: return basePath + "/" + Substring(rest)
        default: return basePath + path
        }
    }

    /// Whether a server could find a segment `.` or `..` in a path, because servers resolve such segments. They may be
    /// encoded, also twice, next to an encoded slash or a backslash, and have parameters (`..;x`).
    private static func leadsOut(_ path: String) -> Bool {
        // Most paths contain neither of these characters.
        guard path.utf8.offset(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") }) != nil else {
            return false
        }
        var path = String(path.prefix { $0 != "?" })
        if hasDots(path) { return true }
        for _ in 1...decodingsMax where path.utf8.contains(UInt8(ascii: "%")) {
            path = PercentEncoding.decoded(path)
            if hasDots(path) { return true }
        }
        return false
    }

    /// The number of times that a path may be decoded on its way: by a proxy, a server and its program.
    private static let decodingsMax = 3

    private static func hasDots(_ path: String) -> Bool {
        path.utf8.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }.contains { segment in
            // Servers cut a segment at these characters, and some at control characters.
            let end = segment.prefix { $0 > 0x20 && !";?#".utf8.contains($0) }
            return end.elementsEqual(".".utf8) || end.elementsEqual("..".utf8)
        }
    }
}
