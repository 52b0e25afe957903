import HTTPTypes
import PatchbayCore
import Synchronization

/// Answers with a status and keeps the requests. Its answers are in memory for paths below `/ready`.
final class EchoResponder: Responder {
    private let requests = Mutex<[ServerRequest]>([])
    private let fields: HTTPFields

    private let status: HTTPResponse.Status

    init(_ fields: HTTPFields = [:], status: HTTPResponse.Status = .ok) {
        self.fields = fields
        self.status = status
    }

    var last: ServerRequest? { requests.withLock { $0.last } }
    var count: Int { requests.withLock { $0.count } }

    func reply(to request: ServerRequest) -> ServerReply {
        request.head.path?.hasPrefix("/ready") ?? false
            ? .ready(answer(request)) : .later { self.answer(request) }
    }

    private func answer(_ request: ServerRequest) -> ServerResponse {
        requests.withLock { $0.append(request) }
        return ServerResponse(
            head: HTTPResponse(status: status, headerFields: fields), body: .whole(Array("ok".utf8)))
    }
}

/// Notes the client for which it works: when it replies, in its task, and when it writes the body.
final class WatchingResponder: Responder {
    private let clients = Mutex<[ServingClient?]>([])

    var lastThree: [ServingClient?] { clients.withLock { Array($0.suffix(3)) } }

    func reply(to request: ServerRequest) -> ServerReply {
        note()
        return .later { [self] in
            note()
            return ServerResponse(
                head: HTTPResponse(status: .ok), body: .stream { [self] _ in note() })
        }
    }

    private func note() { clients.withLock { $0.append(ServingClient.current) } }
}
