public import HTTPTypes
public import PatchbayCore

/// Reports each request that goes to the network, with its answer, to a ``RequestLog``.
///
/// It stands below ``Retry``, ``Redirects`` and ``RateLimit``, so that each attempt and each hop has its entry, and
/// waits do not count as its duration.
public struct Log: NetworkingLayer {
    private let log: RequestLog

    public init(_ log: RequestLog) { self.log = log }

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        try await log.reporting(.network, request) { try await next.send(request, body: body) }
    }
}
