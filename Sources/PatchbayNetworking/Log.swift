package import HTTPTypes
package import PatchbayCore

/// Reports each request that goes to the network, with its answer, to a ``RequestLog``.
///
/// The layer is below ``Retry``, ``Redirects`` and ``RateLimit``, so each attempt and each hop has its own entry, and
/// durations exclude waits.
package struct Log: NetworkingLayer {
    private let log: RequestLog

    /// Creates a layer that reports to a log.
    package init(_ log: RequestLog) { self.log = log }

    /// Passes the request on, and reports it when it has succeeded or failed.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        RequestMeter.current?.sent()
        return try await log.reporting(.network, request) { try await next.send(request, body: body) }
    }
}
