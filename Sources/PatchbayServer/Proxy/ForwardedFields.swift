import HTTPTypes
import PatchbayCore

/// Selects the header fields that a proxy forwards.
enum ForwardedFields {
    /// Fields that concern one connection only (RFC 9110, section 7.6.1).
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Fields of a request that the proxy sets itself, or that would reveal private information: the page that sends
    /// the request, cookies of other servers on this machine, and proxies before this server.
    private static let ofClient: Set<String> = [
        "accept-encoding", "content-length", "cookie", "expect", "forwarded", "host", "origin", "referer",
        "upgrade-insecure-requests", "user-agent", "via", "x-real-ip",
    ]

    private static let notForwarded = ofConnection.union(ofClient)

    /// Fields of an answer that apply only to the source's server name or connection.
    private static let ofServer: Set<String> = [
        "alt-svc", "content-length", "cross-origin-resource-policy", "referrer-policy", "set-cookie",
        "strict-transport-security", "x-content-type-options",
    ]

    /// The fields that the proxy sends instead of the client's: answers must not depend on the client program, and
    /// every client can read uncompressed bodies.
    static let own: HTTPFields = [
        .userAgent: "patchbay/\(PatchbayVersion.current)", .acceptEncoding: "gzip", .via: via,
    ]

    /// Returns the fields of a client's request to forward to the source's server, without ``own``.
    static func request(_ fields: HTTPFields) -> HTTPFields {
        let named = listed(fields)
        var forwarded = HTTPFields()
        forwarded.reserveCapacity(fields.count)
        for field in fields {
            let name = field.name.canonicalName
            guard !notForwarded.contains(name), !named.contains(name),
                !name.hasPrefix("sec-"), !name.hasPrefix("x-forwarded-")
            else { continue }
            forwarded.append(field)
        }
        return forwarded
    }

    /// Returns the fields of an answer to forward to clients.
    static func response(_ fields: HTTPFields) -> HTTPFields {
        let named = listed(fields)
        return HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                // Cross-origin permissions apply only to the source's own name.
                return !ofConnection.contains(name) && !ofServer.contains(name) && !named.contains(name)
                    && !name.hasPrefix("access-control-")
            })
    }

    /// The name of this proxy in `Via` (RFC 9110, section 7.6.3).
    private static let via = "1.1 patchbay"

    /// Whether a request has already passed through this proxy.
    static func isLoop(_ fields: HTTPFields) -> Bool {
        fields.value(of: .via)?.split(separator: ",").contains { $0.drop { $0 == " " } == via } ?? false
    }

    /// Returns the names listed in `Connection`.
    private static func listed(_ fields: HTTPFields) -> Set<String> {
        guard let list = fields.value(of: .connection) else { return [] }
        return Set(list.lowercased().split { $0 == "," || $0 == " " }.map(String.init))
    }
}
