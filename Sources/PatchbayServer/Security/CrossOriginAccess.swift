import HTTPTypes
import PatchbayCore

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
