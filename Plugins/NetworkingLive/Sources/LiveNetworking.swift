#if Live
import AsyncHTTPClient
public import HTTPTypes
import NIOCore
public import PatchbayCore

/// The network: HTTP/1.1 and HTTP/2 on AsyncHTTPClient, with TLS.
///
/// - Nothing runs and nothing is connected before the first request.
/// - A request ends when its task is cancelled, and at the latest at ``LiveOptions/timeoutSeconds``, body included.
/// - Redirects are not followed: a layer does that.
/// - Bodies are inflated, so `Content-Encoding`, `Content-Length` and `Transfer-Encoding` are left out of the answer.
public final class LiveNetworking: Networking {
    private let options: LiveOptions
    private let clients: Clients

    /// - Throws: `invalidConfiguration` when the file of certificates cannot be used, or when the environment names a
    ///   proxy by something that is no address.
    public init(_ options: LiveOptions = LiveOptions()) throws {
        self.options = options
        clients = try Clients(options)
    }

    /// - Throws: `offline` when the host cannot be reached, does not answer in time or breaks off; `invalidResponse`
    ///   when what came is not HTTP or passes a limit; `invalidConfiguration` when the address may not be asked;
    ///   `internalError` after ``close()``; `CancellationError` when the task was cancelled.
    public func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let target = try Target(request)
        guard target.isEncrypted || target.isLoopback || options.allowsPlainHTTP else {
            throw PatchbayError(
                .invalidConfiguration,
                "\"\(target.name)\" would be asked without encryption; use https, or set "
                    + "networking.allow-plain-http = true")
        }
        let proxy = try options.proxy.proxy(for: target)
        let client = try clients.client(through: proxy)
        let message = HTTPClientRequest(request, body: body, to: target)
        let limit = options.timeoutSeconds
        let deadline = NIODeadline.now() + .seconds(Int64(limit))
        do {
            return try await within(.seconds(limit)) {
                try await Response(reading: client.execute(message, deadline: deadline))
            }
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if clients.isClosed { throw Clients.closed }
            throw PatchbayError(transport: error, from: target, through: proxy, options)
        }
    }

    /// Ends requests that still run, closes all connections and stops the event loop. Requests that come later fail.
    public func close() async throws { try await clients.close() }
}
#endif
