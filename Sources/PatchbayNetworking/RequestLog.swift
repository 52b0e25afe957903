package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Passes each finished request to a closure and counts the work of the layers.
///
/// The layers of a stack share one instance. ``Log`` reports requests to the network; layers that answer without the
/// network, wait or retry report that here.
package final class RequestLog: Sendable {
    private let clock: LayerClock
    private let receive: (@Sendable (RequestLogEntry) -> Void)?
    private let state = Mutex(State())
    /// The secrets that are kept out of every entry; the layers of the stack share them.
    package let secrets: KnownSecrets

    private struct State {
        var counts = RequestCounts()
        var lastNumber = 0
    }

    /// - Parameters:
    ///   - secrets: texts to keep out of entries, besides credentials of requests.
    ///   - receive: called when a request ends, on its caller's thread, and concurrently.
    package init(
        clock: LayerClock, secrets: KnownSecrets = KnownSecrets(),
        receive: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) {
        self.clock = clock
        self.secrets = secrets
        self.receive = receive
    }

    /// The work done so far.
    package var counts: RequestCounts { state.withLock { $0.counts } }

    func count(_ change: (inout RequestCounts) -> Void) { state.withLock { change(&$0.counts) } }

    /// Runs `answer` and reports it.
    func reporting(
        _ origin: RequestLogEntry.Origin, _ request: HTTPRequest, _ answer: () async throws -> Response
    ) async throws -> Response {
        let start = Start(clock)
        do {
            let response = try await answer()
            report(origin, request, start, .success(response))
            return response
        } catch {
            report(origin, request, start, .failure(error))
            throw error
        }
    }

    /// Reports a hop that needed no request.
    func remembered(_ request: HTTPRequest) {
        let response = Response(head: HTTPResponse(status: .movedPermanently), body: [])
        report(.rememberedRedirect, request, Start(clock), .success(response))
    }

    private struct Start {
        let at: Timestamp
        let uptime: Duration

        init(_ clock: LayerClock) {
            at = clock.now()
            uptime = clock.uptime()
        }
    }

    private func report(
        _ origin: RequestLogEntry.Origin, _ request: HTTPRequest, _ start: Start,
        _ result: Result<Response, any Error>
    ) {
        let response = try? result.get()  // The error is the other half of the result and is reported below.
        let number = state.withLock { state in
            state.lastNumber += 1
            state.counts.add(origin, request, response)
            return state.lastNumber
        }
        guard let receive else { return }
        let fields = response?.head.headerFields
        // A forwarded request may have credentials of a client in its address.
        let secrets = secrets.filter(for: request)
        receive(
            RequestLogEntry(
                number: number, startedAt: start.at, method: request.method.rawValue,
                url: secrets.cleaned(HTTPAddress(of: request).text), origin: origin,
                status: response?.head.status.code, error: result.code,
                duration: clock.uptime() - start.uptime, bodyBytes: response?.body.count ?? 0,
                cost: origin.cost(request, response),
                remaining: fields.flatMap { RateLimitReport($0).remaining.map { Int(clamping: $0) } },
                tokenFingerprint: TokenFingerprint(authorization: request.headerFields[.authorization]),
                serverRequestID: fields?[.gitHubRequestID].map { secrets.cleaned($0) }))
    }
}

extension Result where Success == Response, Failure == any Error {
    /// The code of the error; a cancelled request has none.
    fileprivate var code: PatchbayError.Code? {
        guard case .failure(let error) = self else { return nil }
        return (error as? PatchbayError)?.code ?? (error is CancellationError ? nil : .internalError)
    }
}

extension RequestCounts {
    fileprivate mutating func add(
        _ origin: RequestLogEntry.Origin, _ request: HTTPRequest, _ response: Response?
    ) {
        switch origin {
        case .coalesced: coalesced += 1
        case .rememberedRedirect: rememberedRedirects += 1
        case .recording: recorded += 1
        case .network:
            sent += 1
            failed += response == nil ? 1 : 0
            notModified += response?.head.status == .notModified ? 1 : 0
            bodyBytes += response?.body.count ?? 0
            cost += origin.cost(request, response)
        }
    }
}

extension RequestLogEntry.Origin {
    /// The number of requests charged to the budget. A 304 and requests about the budget are free (GitHub's REST API,
    /// "Best practices").
    fileprivate func cost(_ request: HTTPRequest, _ response: Response?) -> Int {
        guard self == .network, let head = response?.head, head.status != .notModified,
            RateLimitReport(head.headerFields).remaining != nil, !RateLimitResource.isAboutLimits(request)
        else { return 0 }
        return 1
    }
}

extension HTTPField.Name {
    /// The identifier that GitHub gives each request.
    static let gitHubRequestID = HTTPField.Name("X-GitHub-Request-Id")!
}

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
