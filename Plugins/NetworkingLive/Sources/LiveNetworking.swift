#if Live
import AsyncHTTPClient
package import HTTPTypes
import NIOCore
package import PatchbayCore

/// Sends requests over the network, using AsyncHTTPClient: HTTP/1.1 and HTTP/2, with TLS.
///
/// - No thread or connection exists before the first request.
/// - A request ends when its task is cancelled, and at the latest after ``LiveOptions/timeoutSeconds``, including the
///   body.
/// - Requests for the clients of `patchbay serve` share the connections (``ClientPlaces``).
/// - Redirects are not followed, because a layer does that.
/// - Bodies are decoded, so `Content-Encoding`, `Content-Length` and `Transfer-Encoding` are left out of the answer.
package final class LiveNetworking: Networking {
    private let options: LiveOptions
    private let clients: Clients
    private let places: ClientPlaces

    /// - Throws: `invalidConfiguration` when the certificate file cannot be used.
    package init(_ options: LiveOptions = LiveOptions()) throws {
        self.options = options
        clients = try Clients(options)
        places = ClientPlaces(options.connectionsMax)
    }

    /// - Throws: `offline` when the host cannot be reached, does not answer in time or closes the connection early;
    ///   `invalidResponse` when the answer is not HTTP or exceeds a limit; `invalidConfiguration` for plain http to
    ///   another machine, and for an invalid proxy in the environment; `internalError` after ``close()``;
    ///   `CancellationError` when the task was cancelled.
    package func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let target = try Target(request)
        guard target.isEncrypted || target.isLoopback || options.allowsPlainHTTP else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(target.name)\" would be reached without encryption; use https, or set "
                    + "networking.allow-plain-http = true")
        }
        let proxy = try options.proxy.proxy(for: target)
        let client = try clients.client(through: proxy)
        let message = HTTPClientRequest(request, body: body, to: target)
        let limit = options.timeoutSeconds
        let deadline = NIODeadline.now() + .seconds(Int64(limit))
        do {
            return try await within(.seconds(limit)) { [places, options] in
                try await places.withPlace {
                    try await Response(
                        reading: client.execute(message, deadline: deadline), bytesMax: options.bodyBytesMax)
                }
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if clients.isClosed { throw Clients.closed }
            throw PatchbayError(transport: error, from: target, through: proxy, options)
        }
    }

    /// Ends running requests, closes all connections and stops the event loop. Later requests fail.
    package func close() async throws { try await clients.close() }
}
#endif
