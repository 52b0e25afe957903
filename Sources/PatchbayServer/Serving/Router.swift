import HTTPTypes
package import PatchbayCore

/// Sends `/-/...` to the API and everything else to the proxy.
package struct Router: Responder {
    private let api: any Responder
    private let proxy: any Responder

    /// Creates a router; `proxy` answers every path that is not below `/-`.
    package init(api: any Responder, proxy: any Responder) {
        self.api = api
        self.proxy = proxy
    }

    /// Passes the request to the API for `/-` and paths below it, otherwise to the proxy.
    package func reply(to request: ServerRequest) -> ServerReply {
        let path = request.head.path ?? "/"
        let isOurs = path.hasPrefix("/-") && [nil, "/", "?"].contains(path.dropFirst(2).first)
        return (isOurs ? api : proxy).reply(to: request)
    }
}
