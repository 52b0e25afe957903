import HTTPTypes
import PatchbayCore

/// Which header fields pass a proxy.
enum ForwardedFields {
    /// Fields that concern one connection only (RFC 9110, section 7.6.1).
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Fields of a request that the proxy sets itself, or that say what is nobody else's business: which page asks,
    /// what other servers on this machine have stored in a browser, who stands before this server.
    private static let ofClient: Set<String> = [
        "accept-encoding", "content-length", "cookie", "expect", "forwarded", "host", "origin", "referer",
        "upgrade-insecure-requests", "user-agent", "via", "x-real-ip",
    ]

    /// Fields of an answer that hold for another server's name or connection.
    private static let ofServer: Set<String> = [
        "alt-svc", "content-length", "cross-origin-resource-policy", "referrer-policy", "set-cookie",
        "strict-transport-security", "x-content-type-options",
    ]

    /// The fields of a client's request as the source's server gets them.
    static func request(_ fields: HTTPFields) -> HTTPFields {
        let named = listed(fields)
        var forwarded = HTTPFields()
        forwarded.reserveCapacity(fields.count + 3)
        for field in fields {
            let name = field.name.canonicalName
            guard !ofConnection.contains(name), !ofClient.contains(name), !named.contains(name),
                !name.hasPrefix("sec-"), !name.hasPrefix("x-forwarded-")
            else { continue }
            forwarded.append(field)
        }
        // Answers do not depend on the client's program, and every client can read what is not compressed.
        forwarded[.userAgent] = "patchbay/\(PatchbayVersion.current)"
        forwarded[.acceptEncoding] = "gzip"
        forwarded[.via] = via
        return forwarded
    }

    /// The fields of an answer as clients get them.
    static func response(_ fields: HTTPFields) -> HTTPFields {
        let named = listed(fields)
        return HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                // What the server grants to web pages it grants for its own name.
                return !ofConnection.contains(name) && !ofServer.contains(name) && !named.contains(name)
                    && !name.hasPrefix("access-control-")
            })
    }

    /// What this proxy calls itself (RFC 9110, section 7.6.3).
    private static let via = "1.1 patchbay"

    /// Whether a request has passed this proxy already.
    static func isLoop(_ fields: HTTPFields) -> Bool {
        fields[.via]?.split(separator: ",").contains { $0.drop { $0 == " " } == via } ?? false
    }

    /// The names that `Connection` lists.
    private static func listed(_ fields: HTTPFields) -> Set<String> {
        guard let list = fields[.connection] else { return [] }
        return Set(list.lowercased().split { $0 == "," || $0 == " " }.map(String.init))
    }
}
