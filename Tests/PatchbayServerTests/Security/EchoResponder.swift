import HTTPTypes
import PatchbayCore
import Synchronization

/// Answers 200 and keeps the requests. Its answers are in memory for paths below `/ready`.
final class EchoResponder: Responder {
    private let requests = Mutex<[ServerRequest]>([])
    private let fields: HTTPFields

    init(_ fields: HTTPFields = [:]) { self.fields = fields }

    var last: ServerRequest? { requests.withLock { $0.last } }
    var count: Int { requests.withLock { $0.count } }

    func reply(to request: ServerRequest) -> ServerReply {
        request.head.path?.hasPrefix("/ready") ?? false
            ? .ready(answer(request)) : .later { self.answer(request) }
    }

    private func answer(_ request: ServerRequest) -> ServerResponse {
        requests.withLock { $0.append(request) }
        return ServerResponse(
            head: HTTPResponse(status: .ok, headerFields: fields), body: .whole(Array("ok".utf8)))
    }
}
