import HTTPTypes
import PatchbayCore
import Synchronization

/// A server that reports its limit as used up, without a reset, when the test says so.
final class LimitedServer: Networking {
    static let request = HTTPRequest(method: .get, scheme: "https", authority: "api.example.org", path: "/")

    private let isUsedUp = Mutex(false)
    private let requests = Mutex(0)

    var count: Int { requests.withLock { $0 } }

    /// The next request is refused, and later ones are answered.
    func useUp() { isUsedUp.withLock { $0 = true } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        requests.withLock { $0 += 1 }
        let isRefused = isUsedUp.withLock { isUsedUp in
            defer { isUsedUp = false }
            return isUsedUp
        }
        var head = HTTPResponse(status: isRefused ? .forbidden : .ok)
        if isRefused { head.headerFields[HTTPField.Name("X-RateLimit-Remaining")!] = "0" }
        return Response(head: head, body: [])
    }
}
