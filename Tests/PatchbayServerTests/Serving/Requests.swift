import HTTPTypes
import PatchbayCore

/// Requests as they would arrive on a socket.
enum Requests {
    static let tcp = ServerRequest.Connection(
        local: .tcp(address: "127.0.0.1", port: 8080), remote: .tcp(address: "127.0.0.1", port: 50_000))
    static let unix = ServerRequest.Connection(local: .unix(path: "/run/p.sock"), remote: .unix(path: ""))

    static func make(
        _ method: HTTPRequest.Method = .get, _ path: String = "/users", host: String? = "127.0.0.1:8080",
        fields: HTTPFields = [:], body: String = "", over connection: ServerRequest.Connection = tcp
    ) -> ServerRequest {
        ServerRequest(
            head: HTTPRequest(
                method: method, scheme: "http", authority: host, path: path, headerFields: fields),
            body: Array(body.utf8), connection: connection)
    }
}

extension ServerReply {
    /// The answer that needs no task; nil if there is none.
    var ready: ServerResponse? { if case .ready(let response) = self { response } else { nil } }
}

extension ServerResponse {
    /// The whole body as text.
    var text: String {
        if case .whole(let bytes) = body { String(decoding: bytes, as: UTF8.self) } else { "a stream" }
    }

    var status: Int { head.status.code }

    subscript(_ name: String) -> String? { HTTPField.Name(name).flatMap { headerFields[$0] } }
}
