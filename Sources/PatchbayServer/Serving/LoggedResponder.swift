import HTTPTypes
public import PatchbayCore

/// Passes each request and its answer to a closure.
package final class LoggedResponder: Responder {
    private let inner: any Responder
    private let clock: LayerClock
    private let secretParameters: Set<String>
    private let receive: @Sendable (ServedRequest) -> Void

    /// - Parameters:
    ///   - secretParameters: the query parameters in which definitions send credentials, whose values are not logged.
    ///   - receive: called at the start of each answer, from several threads at once.
    package init(
        _ inner: any Responder, clock: LayerClock, secretParameters: Set<String> = [],
        receive: @escaping @Sendable (ServedRequest) -> Void
    ) {
        self.secretParameters = secretParameters
        self.inner = inner
        self.clock = clock
        self.receive = receive
    }

    /// Returns the inner responder's reply; its answer is passed on after `receive` was called.
    package func reply(to request: ServerRequest) -> ServerReply {
        let startedAt = clock.now(), start = clock.uptime()
        return inner.reply(to: request).changed { [self] in log(request, $0, startedAt, start) }
    }

    private func cleaned(_ target: String) -> String {
        let target = SecretNames.cleaned(address: target)
        guard !secretParameters.isEmpty, let start = target.firstIndex(of: "?") else { return target }
        let items = target[start...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
        return target[...start]
            + items.map { item in
                let name = item.prefix { $0 != "=" }
                let isSecret = secretParameters.contains(PercentEncoding.decoded(name))
                return isSecret ? "\(name)=\(SecretNames.placeholder)" : String(item)
            }.joined(separator: "&")
    }

    private func log(
        _ request: ServerRequest, _ response: ServerResponse, _ startedAt: Timestamp, _ start: Duration
    ) {
        receive(
            ServedRequest(
                startedAt: startedAt, method: request.head.method.rawValue,
                target: cleaned(request.head.path ?? "/"),
                status: response.head.status.code, duration: clock.uptime() - start,
                bodyBytes: response.body.count,
                cacheStatus: CacheStatus.field(of: response).flatMap(CacheStatus.word),
                client: request.connection.remote,
                tokenFingerprint: TokenFingerprint(authorization: request.head.headerFields[.authorization])))
    }
}

extension ServerResponse.Body {
    fileprivate var count: Int? { if case .whole(let bytes) = self { bytes.count } else { nil } }
}

/// A client's request and its outcome, for a log. It contains no secrets.
public struct ServedRequest: Sendable {
    /// The time when the server began to answer.
    public let startedAt: Timestamp
    /// The method as the client sent it.
    public let method: String
    /// Path and query, without the values of secrets.
    public let target: String
    /// The status code of the answer.
    public let status: Int
    /// The time until the answer's head was known.
    public let duration: Duration
    /// The length of the body; nil for a streamed one.
    public let bodyBytes: Int?
    /// The outcome of the proxy's cache as in `Cache-Status`: `hit`, `fwd=uri-miss`; nil if it was not involved.
    public let cacheStatus: String?
    /// The address that the client connected from.
    public let client: ServerRequest.Endpoint
    /// The fingerprint of the token that was sent; nil without one.
    package let tokenFingerprint: TokenFingerprint?
}
