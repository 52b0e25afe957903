import HTTPTypes
import PatchbayCore

/// Decides which requests are answered only for trusted clients: those on a Unix domain socket, which only its owner
/// may open, and those that show the server's token.
///
/// A token that the user has set protects everything. The own API below `/-/` is protected whenever the server has
/// credentials of a source, because it uses them for every client. The page and `/-/live` contain no data.
struct TrustRule: Sendable {
    private let protectsAPI: Bool
    private let protectsProxy: Bool
    private let hasToken: Bool
    private let holdsCredentials: Bool

    init(_ options: ServerOptions, holdsCredentials: Bool) {
        let hasClients = !options.clients.isEmpty
        hasToken = options.token != nil || hasClients
        // A client could otherwise leave its token out to have more rights.
        protectsProxy = hasClients || hasToken && !options.isProxyOpen
        protectsAPI = hasToken || holdsCredentials
        self.holdsCredentials = holdsCredentials
    }

    /// Whether only a trusted client may send the request.
    func isNeeded(for head: HTTPRequest) -> Bool {
        guard protectsAPI, !Self.isPublic(head.method, head.path) else { return false }
        return protectsProxy || RequestTarget.isOurs(head.path)
    }

    /// What a client must do that is not trusted.
    var advice: String {
        hasToken
            ? "send the token of this server as \"Authorization: Bearer TOKEN\" or as \"Patchbay-Token: TOKEN\"; it is "
                + "in serve.token, or in the file that the server named when it started"
            : "this server has credentials of a source, so its own API needs a token; set serve.token, or use its "
                + "socket"
    }

    /// Whether a refusal by the source must mention that the source's credentials were not used.
    func explainsRefusals(of request: ServerRequest) -> Bool {
        holdsCredentials && !request.isTrusted && !RequestTarget.isOurs(request.head.path)
            && !request.head.headerFields.contains(.authorization)
    }

    /// Whether the answer contains no data: the page, which asks for the token itself, and whether the server runs.
    static func isPublic(_ method: HTTPRequest.Method, _ path: String?) -> Bool {
        guard method == .get || method == .head, let path else { return false }
        return [RequestTarget.prefix, RequestTarget.prefix + "live"].contains(path)
            || path.hasPrefix(PageFile.folder)
    }
}
