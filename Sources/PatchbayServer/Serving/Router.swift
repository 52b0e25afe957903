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

    /// Passes the complete request to the API for `/-` and paths below it, otherwise to the proxy.
    package func reply(to request: ServerRequest) -> ServerReply {
        guard RequestTarget.isOurs(request.head.path) else {
            return .whole(request) { [proxy] in proxy.reply(to: $0) }
        }
        let bytesMax = Route.Body.bytesMax
        guard request.bodyBytes ?? 0 <= bytesMax else {
            return .ready(
                .problem(
                    .contentTooLarge,
                    "the body has \(request.bodyBytes ?? 0) bytes; the limit is \(bytesMax)",
                    code: .invalidValue))
        }
        return .whole(request, bytesMax: bytesMax) { [api] in api.reply(to: $0) }
    }
}
