import HTTPTypes
package import PatchbayCore

/// Sends `/-/...` to the API and everything else to the proxy.
package struct Router: Responder {
    private let api: any Responder
    private let proxy: any Responder
    /// The names of clients that see only some resources.
    private let restricted: Set<String>

    /// Creates a router; `proxy` answers every path that is not below `/-`, except for clients that see only some
    /// resources, because its answers cannot be filtered.
    package init(api: any Responder, proxy: any Responder, clients: [ClientOptions] = []) {
        self.api = api
        self.proxy = proxy
        restricted = Set(clients.filter { $0.grants != nil }.map(\.name))
    }

    /// Passes the complete request to the API for `/-` and paths below it, otherwise to the proxy.
    package func reply(to request: ServerRequest) -> ServerReply {
        guard RequestTarget.isOurs(request.head.path) else {
            if let name = request.clientName, restricted.contains(name) {
                return .ready(
                    .problem(
                        .forbidden,
                        "this client may read only some resources, so the source's own answers, which cannot be "
                            + "filtered, are closed to it; use the paths below /-/", code: .permissionDenied))
            }
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

/// Answers every request with 404, in place of a part that the program or source lacks.
package struct AbsentResponder: Responder {
    private let detail: String

    /// - Parameter detail: what is missing, and why.
    package init(_ detail: String) { self.detail = detail }

    /// Returns 404 with the detail in a problem document.
    package func reply(to request: ServerRequest) -> ServerReply {
        .ready(.problem(.notFound, detail, code: .notFound))
    }
}
