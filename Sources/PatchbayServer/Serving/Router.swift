import HTTPTypes
public import PatchbayCore

/// Sends `/-/...` to the API and everything else to the proxy.
public struct Router: Responder {
    private let api: any Responder
    private let proxy: any Responder

    /// Creates a router; `proxy` answers every path that is not below `/-`.
    public init(api: any Responder, proxy: any Responder) {
        self.api = api
        self.proxy = proxy
    }

    /// Passes the request to the API for `/-` and paths below it, otherwise to the proxy.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        await responder(for: request).respond(to: request)
    }

    /// Returns the answer of the API or the proxy if it is in memory.
    public func readyAnswer(to request: ServerRequest) -> ServerResponse? {
        responder(for: request).readyAnswer(to: request)
    }

    private func responder(for request: ServerRequest) -> any Responder {
        let path = request.head.path ?? "/"
        let isOurs = path == "/-" || path.hasPrefix("/-/") || path.hasPrefix("/-?")
        return isOurs ? api : proxy
    }
}
