import HTTPTypes
package import PatchbayCore

/// Checks every request before another responder handles it, and adds protective header fields to every answer.
package final class GuardedResponder: Responder {
    private let inner: any Responder
    private let hosts: HostRule
    private let origins: OriginRule
    private let access: CrossOriginAccess
    private let token: ServerToken?

    /// Creates a guard with the hosts, origins and token of the options.
    package init(_ inner: any Responder, _ options: ServerOptions) {
        self.inner = inner
        hosts = HostRule(hosts: options.hosts)
        origins = OriginRule(origins: options.origins)
        access = CrossOriginAccess(rule: origins)
        token = options.token.map(ServerToken.init)
    }

    /// Refuses a request with a forbidden method, host, origin or token; passes any other to the inner responder
    /// without the server's token. Preflight requests are answered here.
    package func reply(to request: ServerRequest) -> ServerReply {
        let head = request.head
        var checked = request
        let reply = refusal(of: &checked).map(ServerReply.ready) ?? inner.reply(to: checked)
        return reply.changed { [self] in finish(&$0, head) }
    }
}

extension GuardedResponder {
    private func finish(_ response: inout ServerResponse, _ head: HTTPRequest) {
        access.grant(&response, to: head)
        response.protect()
    }

    /// Returns the answer to a request that is refused; otherwise completes the request for the inner responder.
    private func refusal(of request: inout ServerRequest) -> ServerResponse? {
        if let refusal = refusal(request.head, request.connection) { return refusal }
        if case .unix = request.connection.local {
            request.isTrusted = true
        } else if let token {
            request.isTrusted = token.take(from: &request.head.headerFields)
            if !request.isTrusted, !PageFile.isPublic(request.head) { return .tokenMissing }
        }
        request.head.headerFields[.patchbayToken] = nil
        return nil
    }

    private func refusal(_ head: HTTPRequest, _ connection: ServerRequest.Connection) -> ServerResponse? {
        guard head.method != .trace, head.method != .connect else {
            return .problem(
                .methodNotAllowed, "the method \(head.method) is not served",
                [.allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"])
        }
        guard hosts.allows(head.authority, on: connection) else {
            return .problem(
                .misdirectedRequest,
                "the request's Host is not a name of this server; add further names to serve.allow-host")
        }
        if head.path == "*" { return ServerResponse(head: HTTPResponse(status: .noContent)) }
        guard head.path?.utf8.first == UInt8(ascii: "/") else {
            return .problem(.badRequest, "the request's target must start with a slash")
        }
        if let preflight = access.preflight(head) { return preflight }
        guard origins.allows(head) else {
            return .problem(
                .forbidden,
                "a web page of another origin may not make changes; add its origin to serve.allow-origin"
            )
        }
        return nil
    }
}

extension ServerResponse {
    fileprivate static var tokenMissing: ServerResponse {
        .problem(
            .unauthorized,
            "send the token of serve.token as \"Authorization: Bearer TOKEN\" or as \"Patchbay-Token: TOKEN\"",
            code: .unauthorized, [.wwwAuthenticate: #"Bearer realm="patchbay", Basic realm="patchbay""#])
    }

    private static let protection = SharedFields([
        .xContentTypeOptions: "nosniff", .crossOriginResourcePolicy: "same-origin",
        .referrerPolicy: "no-referrer",
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'; sandbox",
    ])

    /// Keeps browsers from misinterpreting the type of an answer, and other pages from embedding it.
    fileprivate mutating func protect() {
        let protection = Self.protection
        guard hasAnyField(of: protection) else { return shared.append(protection) }
        for field in protection.fields where !hasField(field.name) { head.headerFields.append(field) }
    }
}
