import HTTPTypes
import Patchbay

/// A server that gives the same answer to every request.
struct FixedAnswer: Networking {
    let text: String

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        Response(head: HTTPResponse(status: .ok), body: Array(text.utf8))
    }
}
