import HTTPTypes
package import PatchbayCore

/// The door of the server: checks the head of every request before its body is read and another responder handles it,
/// and adds protective header fields to every answer.
package final class GuardedResponder: Responder {
    private let inner: any Responder
    private let hosts: HostRule
    private let origins: OriginRule
    private let access: CrossOriginAccess
    private let tokens: ServerTokens
    private let trust: TrustRule

    /// Creates a guard with the hosts, origins and token of the options.
    ///
    /// - Parameter holdsCredentials: whether the server has credentials of a source, which are for trusted clients.
    package init(_ inner: any Responder, _ options: ServerOptions, holdsCredentials: Bool = false) {
        self.inner = inner
        hosts = HostRule(hosts: options.hosts)
        origins = OriginRule(origins: options.origins)
        access = CrossOriginAccess(rule: origins)
        tokens = ServerTokens(options)
        trust = TrustRule(options, holdsCredentials: holdsCredentials)
    }

    /// Refuses a request with a forbidden method, host, origin or token; passes any other to the inner responder
    /// without the server's token. Preflight requests are answered here.
    package func reply(to request: ServerRequest) -> ServerReply {
        let head = request.head
        var checked = request
        if let refusal = refusal(of: &checked) { return finished(.ready(refusal), head, explains: false) }
        let explains = trust.explainsRefusals(of: checked)
        guard checked.client != .owner else {
            return finished(inner.reply(to: checked), head, explains: false)
        }
        return ServingClient.$current.withValue(checked.client) {
            finished(inner.reply(to: checked).running(in: checked.client), head, explains: explains)
        }
    }

    private func finished(_ reply: ServerReply, _ head: HTTPRequest, explains: Bool) -> ServerReply {
        reply.changed { [self] response in
            if explains, response.head.status == .unauthorized { response.explainRefusal() }
            access.grant(&response, to: head)
            response.protect()
        }
    }

    /// Returns the answer to a request that is refused; otherwise completes the request for the inner responder.
    private func refusal(of request: inout ServerRequest) -> ServerResponse? {
        if let refusal = refusal(request.head, request.connection) { return refusal }
        let showsToken = request.head.headerFields.contains(.patchbayToken)
        let holder = tokens.take(from: &request.head.headerFields)
        // Without the token it could have more rights, as on a socket.
        if showsToken, holder == nil, !TrustRule.isPublic(request.head.method, request.head.path) {
            return .unknownToken
        }
        if case .client(let name)? = holder { request.clientName = name }
        request.isTrusted = holder != nil || request.connection.client == .owner
        return request.isTrusted || !trust.isNeeded(for: request.head) ? nil : .tokenMissing(trust)
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
                "a web page of another origin may not send requests; add its origin to serve.allow-origin")
        }
        return nil
    }
}

extension ServerResponse {
    private static let challenge = #"Bearer realm="patchbay", Basic realm="patchbay""#

    fileprivate static var unknownToken: ServerResponse {
        .problem(
            .unauthorized, "Patchbay-Token is not a token of this server", code: .unauthorized,
            [.wwwAuthenticate: challenge])
    }

    fileprivate static func tokenMissing(_ trust: TrustRule) -> ServerResponse {
        .problem(.unauthorized, trust.advice, code: .unauthorized, [.wwwAuthenticate: challenge])
    }

    /// Replaces the source's refusal of a request without credentials by one that names the way to use the source's.
    fileprivate mutating func explainRefusal() {
        let problem = ServerResponse.problem(
            .unauthorized,
            "the source refused the request, which had no credentials; send some for the source, or send the token of "
                + "this server as \"Patchbay-Token: TOKEN\" to use source.token",
            code: .unauthorized, [.wwwAuthenticate: Self.challenge])
        for field in problem.head.headerFields { head.headerFields[field.name] = field.value }
        for name in [HTTPField.Name.contentEncoding, .contentLanguage, .eTag, .lastModified] {
            head.headerFields[name] = nil
        }
        body = problem.body
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
