import HTTPTypes
import Patchbay
import Synchronization

/// A server whose answer to one request ends in the middle.
final class CuttingServer: Networking {
    private let server: any Networking
    private let number: Int
    private let count = Mutex(0)

    /// - Parameter request: the number of the request, counted from 1.
    init(_ server: any Networking, request number: Int) {
        self.server = server
        self.number = number
    }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        var response = try await server.send(request, body: body)
        let count = count.withLock { count in
            count += 1
            return count
        }
        if count == number { response.body.removeLast(response.body.count / 2) }
        return response
    }
}
