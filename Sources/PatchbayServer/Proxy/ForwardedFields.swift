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

    /// Fields of an answer that would act on more than the answer itself, by their purpose. Every other field is
    /// forwarded, because APIs have their own; so are obsolete ones that browsers ignore, such as `Public-Key-Pins`.
    private static let ofServer: Set<String> = Set(
        [
            // The proxy and the HTTP server write their own.
            ["content-length", "content-type"],
            // The browser's protection is the gateway's (``GuardedResponder``), whatever the source would allow.
            [
                "content-security-policy", "content-security-policy-report-only", "document-policy",
                "document-policy-report-only", "feature-policy", "integrity-policy",
                "integrity-policy-report-only", "origin-agent-cluster", "permissions-policy",
                "permissions-policy-report-only", "referrer-policy", "require-document-policy",
                "timing-allow-origin", "x-content-security-policy", "x-content-type-options",
                "x-permitted-cross-domain-policies", "x-webkit-csp",
            ],
            // State that a browser keeps for an origin: cookies, storage, workers, keys, dictionaries, client hints.
            [
                "accept-ch", "accept-ch-lifetime", "activate-storage-access", "clear-site-data",
                "critical-ch",
                "observe-browsing-topics", "service-worker-allowed", "set-cookie", "set-login",
                "strict-transport-security", "use-as-dictionary",
            ],
            // Requests that a browser sends on its own: alternatives, reports, reloads, prefetches, source maps.
            [
                "alt-svc", "delegate-ch", "expect-ct", "nel", "refresh", "report-to", "reporting-endpoints",
                "sourcemap", "speculation-rules", "supports-loading-mode", "x-dns-prefetch-control",
                "x-sourcemap",
            ],
            // A browser would ask for a password in the gateway's name; programs use the status.
            ["authentication-info", "www-authenticate"],
            // Commands to a reverse proxy in front of the gateway, such as nginx, to send a file of its own.
            ["x-lighttpd-send-file", "x-reproxy-url", "x-sendfile"],
        ].joined())

    /// The beginnings of further such names: grants and isolation between origins, reports on advertisements, sessions,
    /// commands to nginx, and fields of this server, which only it may send.
    private static let ofServerBeginnings = [
        "access-control-", "attribution-reporting-", "cross-origin-", "patchbay-", "sec-", "x-accel-",
    ]

    /// The fields that the proxy sends instead of the client's: answers must not depend on the client program, and
    /// every client can read uncompressed bodies.
    static let own: HTTPFields = [
        .userAgent: "patchbay/\(PatchbayVersion.current)", .acceptEncoding: "gzip", .via: via,
    ]

    /// Returns the fields of a client's request to forward to the source's server, without ``own``.
    ///
    /// - Parameter credential: the field in which the source's credentials are sent, which is forwarded even if it is
    ///   `Cookie`. Names with an underscore are not forwarded otherwise, because some servers take `X_User` for
    ///   `X-User`.
    static func request(_ fields: HTTPFields, credential: HTTPField.Name) -> HTTPFields {
        let named = listed(fields)
        var forwarded = HTTPFields()
        forwarded.reserveCapacity(fields.count)
        for field in fields {
            let name = field.name.canonicalName
            let isSafe = isForwarded(field.name) && !name.utf8.contains(UInt8(ascii: "_"))
            guard isSafe || field.name == credential && !ofConnection.contains(name), !named.contains(name)
            else { continue }
            forwarded.append(field)
        }
        return forwarded
    }

    /// Whether a client's field with this name is forwarded, unless `Connection` lists it.
    static func isForwarded(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return !notForwarded.contains(name) && !name.hasPrefix("sec-") && !name.hasPrefix("x-forwarded-")
    }

    /// Whether a value has lost bytes that are not UTF-8, for which the HTTP library writes U+FFFD.
    static func isDamaged(_ field: HTTPField) -> Bool { field.value.unicodeScalars.contains("\u{FFFD}") }

    /// Returns the fields of an answer to forward to clients, with exactly one media type if it has content.
    static func response(_ fields: HTTPFields, status: Int) -> HTTPFields {
        let named = listed(fields)
        var forwarded = HTTPFields(
            fields.filter { field in
                let name = field.name.canonicalName
                return !ofConnection.contains(name) && !ofServer.contains(name) && !named.contains(name)
                    && !isDamaged(field)
                    && !ofServerBeginnings.contains { name.hasPrefix($0) }
            })
        if ContentType(fields) != nil {
            forwarded[.contentType] = fields[.contentType]
        } else if status != 204, status != 304 {
            // Two readers of a doubtful type might understand it differently.
            forwarded[.contentType] = "application/octet-stream"
        }
        return forwarded
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
