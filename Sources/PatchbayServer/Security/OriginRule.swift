import HTTPTypes
import PatchbayCore

/// Decides whether a request is accepted, from the page that a browser reports as its sender. Requests of other pages
/// are refused whatever their method, because reading spends the source's rate limit and is noted in searches. These
/// are the rules of `http.CrossOriginProtection` in Go 1.25 without its exception for GET.
///
/// 1. `Sec-Fetch-Site: same-origin` and `none` are allowed; other values are not.
/// 2. A request without `Sec-Fetch-Site` and `Origin` was not sent by a browser and is allowed.
/// 3. An `Origin` whose host is the request's `Host` is allowed.
/// 4. A listed `Origin` is allowed regardless of rules 1 and 3.
/// 5. A link of another page may open the page of this server in a window.
struct OriginRule: Sendable {
    /// The allowed origins, in lower case.
    let origins: Set<String>

    func allows(_ head: HTTPRequest) -> Bool {
        let origin = head.headerFields.value(of: .origin)
        switch head.headerFields.value(of: .secFetchSite) {
        case nil, "": break
        case "same-origin", "none": return true
        default: return isListed(origin) || Self.opensPage(head)
        }
        guard let origin, !origin.isEmpty else { return true }
        if let host = head.authority?.lowercased(), let sent = Self.host(of: origin), sent == host {
            return true
        }
        return isListed(origin)
    }

    private static func opensPage(_ head: HTTPRequest) -> Bool {
        head.method == .get && head.path == RequestTarget.prefix
            && head.headerFields[.secFetchMode] == "navigate"
            && head.headerFields[.secFetchDest] == "document"
    }

    /// Whether a page of this origin may read answers.
    func isListed(_ origin: String?) -> Bool { origin.map { origins.contains($0.lowercased()) } ?? false }

    /// Returns host and port as written, in lower case.
    private static func host(of origin: String) -> String? {
        origin.firstRange(of: "://").map { origin[$0.upperBound...].lowercased() }
    }
}

/// Grants listed web pages access (the CORS protocol of the Fetch standard). Without a list nothing is granted.
struct CrossOriginAccess: Sendable {
    private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE"

    let rule: OriginRule

    /// Returns the answer to a preflight request of a listed page; nil for any other request.
    func preflight(_ head: HTTPRequest) -> ServerResponse? {
        guard head.method == .options, head.headerFields[.accessControlRequestMethod] != nil,
            rule.isListed(head.headerFields[.origin])
        else { return nil }
        var fields = HTTPFields()
        fields[.accessControlAllowMethods] = Self.methods
        fields[.accessControlAllowHeaders] = head.headerFields[.accessControlRequestHeaders]
        fields[.accessControlMaxAge] = "600"
        return ServerResponse(head: HTTPResponse(status: .noContent, headerFields: fields))
    }

    /// Allows a listed page to read an answer, and declares that answers differ by page if any is listed.
    func grant(_ response: inout ServerResponse, to head: HTTPRequest) {
        if rule.origins.isEmpty { return }
        // Also in answers to other pages and programs, which a cache must not reuse for a listed page.
        response.head.headerFields.append(HTTPField(name: .vary, value: "Origin"))
        guard let origin = head.headerFields.value(of: .origin), rule.isListed(origin) else { return }
        response.head.headerFields[.accessControlAllowOrigin] = origin
        response.head.headerFields[.accessControlExposeHeaders] = "*"
    }
}
