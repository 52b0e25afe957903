import HTTPTypes
public import PatchbayCore
import Synchronization

/// Hands each request to a closure and counts what the layers do.
///
/// The layers of one stack share one. ``Log`` reports what goes to the network; layers that answer without it, or do
/// more than pass on, report that here.
public final class RequestLog: Sendable {
    private let clock: LayerClock
    private let receive: (@Sendable (RequestLogEntry) -> Void)?
    private let state = Mutex(State())
    /// The secrets that no entry holds; the layers of the stack share them.
    public let secrets: KnownSecrets

    private struct State {
        var counts = RequestCounts()
        var lastNumber = 0
    }

    /// - Parameters:
    ///   - secrets: what no entry may hold, besides credentials of requests.
    ///   - receive: is called when a request ends, on its caller's thread, from several at once.
    public init(
        clock: LayerClock, secrets: KnownSecrets = KnownSecrets(),
        receive: (@Sendable (RequestLogEntry) -> Void)? = nil
    ) {
        self.clock = clock
        self.secrets = secrets
        self.receive = receive
    }

    /// What was done so far.
    public var counts: RequestCounts { state.withLock { $0.counts } }

    /// Changes a count.
    func count(_ change: (inout RequestCounts) -> Void) { state.withLock { change(&$0.counts) } }
}

extension RequestLog {
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

    /// Reports a hop that nobody had to ask for.
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
        let response = try? result.get()  // The error is the other half of the result, and told below.
        let number = state.withLock { state in
            state.lastNumber += 1
            state.counts.add(origin, request, response)
            return state.lastNumber
        }
        guard let receive else { return }
        let fields = response?.head.headerFields
        let secrets = secrets.filter
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
    /// What went wrong; a request that was cancelled has no code.
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
    /// What the request used of the budget. 304 and questions about the budget are free (GitHub's REST API,
    /// "Best practices").
    fileprivate func cost(_ request: HTTPRequest, _ response: Response?) -> Int {
        guard self == .network, let head = response?.head, head.status != .notModified,
            RateLimitReport(head.headerFields).remaining != nil, !RateLimitResource.isAboutLimits(request)
        else { return 0 }
        return 1
    }
}

extension HTTPField.Name {
    /// The name that GitHub gives each request.
    static let gitHubRequestID = HTTPField.Name("X-GitHub-Request-Id")!
}
