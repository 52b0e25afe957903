import HTTPTypes
package import PatchbayCore
package import PatchbayDomain
import PatchbayGateway
import Synchronization

/// Serves the source's own API through a shared cache (RFC 9111). Any client with a configurable base URL works
/// unchanged, and continues to work while the server is unreachable.
///
/// - An answer belongs to the fields of its request (``FieldRoles``), and no other client receives it or its tag.
/// - Changes are forwarded, and delete the cached answers of the path and of its parent path.
/// - Rate limits are those of the source. When one is used up, the client receives the time of its reset.
package final class ProxyResponder: Responder {
    private let upstream: Upstream
    private let target: ProxyTarget
    private let roles: FieldRoles
    let cache: AnswerCache
    let options: ProxyOptions
    let clock: LayerClock
    let reachability: Reachability
    /// Requests that update stored answers, by the answer's key.
    let refreshes: BackgroundRequests<Key>

    /// - Throws: `invalidConfiguration` when the source's base URL is not an address, or a field that carries
    ///   credentials is to be ignored.
    package init(
        _ upstream: Upstream, cache: AnswerCache, _ options: ProxyOptions, clock: LayerClock
    ) throws {
        guard let target = ProxyTarget(upstream) else {
            throw PatchbayError(
                .invalidConfiguration, "source.base-url is not an address; the source cannot be served")
        }
        self.upstream = upstream
        self.target = target
        roles = try FieldRoles(upstream.authorization, ignoring: options.ignoredFields)
        self.cache = cache
        self.options = options
        self.clock = clock
        reachability = Reachability(clock: clock)
        refreshes = BackgroundRequests(clock, runningMax: 32)
    }

    /// Cancels requests in the background and waits for them to end.
    package func stop() async { await refreshes.stop() }

    /// Answers from the cache, or forwards the request to the source's server. A refusal or failure is answered with a
    /// problem document (RFC 9457).
    package func reply(to request: ServerRequest) -> ServerReply {
        do throws(ProxyRefusal) {
            let exchange = try exchange(for: request)
            if let ready = exchange.readyAnswer() { return .ready(ready) }
            return .later { [clock] in
                do {
                    return try await exchange.response()
                } catch {
                    return ServerResponse(failed: error, exchange.reason, clock.now())
                }
            }
        } catch {
            return .ready(error.response)
        }
    }

    private func exchange(for request: ServerRequest) throws(ProxyRefusal) -> ProxyExchange {
        let question = try ProxyQuestion(request, target, roles, lender: lender, cache.digest)
        let answer = ProxyAnswer(
            method: question.method, conditions: question.conditions, rewriting: rewriting(for: request))
        return ProxyExchange(question: question, answer: answer, proxy: self)
    }

    /// Distinguishes the credentials that are lent now.
    var lender: String? { upstream.lender() }

    /// Whether an answer is an error by the definition, whatever its status.
    func marksError(_ response: Response) -> Bool { upstream.marksError(response.body) }

    /// The connection to the source's server, with the source's own credentials if `lends` is true.
    func networking(lends: Bool) -> any Networking {
        lends ? upstream.lending ?? upstream.networking : upstream.networking
    }

    private func rewriting(for request: ServerRequest) -> AddressRewriting {
        let scheme = options.isBehindProxy ? "https" : request.head.scheme ?? "http"
        let host = request.head.authority ?? ""
        // On a socket, clients use the source's server name, so nothing is replaced.
        let isSafe = host == request.connection.authority || Self.isAuthority(host)
        let name = target.base.authority
        let isSame = host.utf8.count == name.utf8.count && host.lowercased() == name
        return AddressRewriting(
            from: target.text, scheme: scheme, host: host,
            scope: isSame || !isSafe ? .nothing : options.rewriting)
    }

    /// Whether a text is safe in an address, because over a socket a client may send any text.
    private static func isAuthority(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || ":.-_[]".utf8.contains($0) }
    }
}

extension ServerResponse {
    /// Creates the answer for a request without an answer of the source's server.
    fileprivate init(failed error: any Error, _ reason: CacheStatus.Reason, _ now: Timestamp) {
        guard let error = error as? PatchbayError else {
            self = .problem(.badGateway, "the request was cancelled", code: .cancelled)
            return
        }
        var fields = HTTPFields()
        if let retryAt = error.retryAt { fields.setRetryAfter(retryAt, now: now) }
        fields[.cacheStatus] = CacheStatus.forwarded(reason, status: nil).text
        let status: HTTPResponse.Status =
            switch error.code {
            case .rateLimited: .tooManyRequests
            case .offline: error.isUnreachable || error.isTimeout ? .gatewayTimeout : .badGateway
            // A recording does not contain the answer, so whether the server has it is unknown.
            case .notFound: .gatewayTimeout
            case .invalidValue: .badRequest
            default: .badGateway
            }
        let code = error.code == .notFound ? .unsupported : error.code
        self = .problem(status, error.message, code: code, fields)
    }
}

/// Remembers for 5 s that the source's server was unreachable, so that clients with a cached answer do not wait for the
/// next attempt.
final class Reachability: Sendable {
    private static let interval = Duration.seconds(5)

    private let clock: LayerClock
    private let failedAt = Mutex<Duration?>(nil)

    init(clock: LayerClock) { self.clock = clock }

    var isLost: Bool {
        let now = clock.uptime()
        return failedAt.withLock { $0.map { now - $0 < Self.interval } ?? false }
    }

    func failed() {
        let now = clock.uptime()
        failedAt.withLock { $0 = now }
    }

    func succeeded() { failedAt.withLock { $0 = nil } }
}
