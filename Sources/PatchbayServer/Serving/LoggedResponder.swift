import HTTPTypes
public import PatchbayCore

/// Passes each request and its answer to a closure.
public struct LoggedResponder: Responder {
    private let inner: any Responder
    private let clock: LayerClock
    private let receive: @Sendable (ServedRequest) -> Void

    /// - Parameter receive: called at the start of each answer, from several threads at once.
    public init(
        _ inner: any Responder, clock: LayerClock, receive: @escaping @Sendable (ServedRequest) -> Void
    ) {
        self.inner = inner
        self.clock = clock
        self.receive = receive
    }

    /// Returns the inner responder's answer, after passing the request and the outcome to `receive`.
    public func respond(to request: ServerRequest) async -> ServerResponse {
        let startedAt = clock.now(), start = clock.uptime()
        let response = await inner.respond(to: request)
        log(request, response, startedAt, start)
        return response
    }

    /// Returns the inner responder's answer if it is in memory, after passing the request and the outcome to `receive`.
    public func readyAnswer(to request: ServerRequest) -> ServerResponse? {
        let startedAt = clock.now(), start = clock.uptime()
        guard let response = inner.readyAnswer(to: request) else { return nil }
        log(request, response, startedAt, start)
        return response
    }

    private func log(
        _ request: ServerRequest, _ response: ServerResponse, _ startedAt: Timestamp, _ start: Duration
    ) {
        receive(
            ServedRequest(
                startedAt: startedAt, method: request.head.method.rawValue,
                target: SecretNames.cleaned(address: request.head.path ?? "/"),
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
