import HTTPTypes
public import PatchbayCore
public import PatchbayDomain
import PatchbayGateway
import Synchronization

/// The source's own API, through a shared cache (RFC 9111): any client that can change its base URL works unchanged,
/// and goes on working while the server cannot be reached.
///
/// - Answers are kept for those whose credentials they were asked with, and for the version and media type that were
///   asked for. Another client's request is confirmed by the server with that client's own credentials.
/// - Changes pass, and drop what is kept of the path and of the list that it is in.
/// - Budgets are those of the source; a client is told when a spent one is full again.
public struct ProxyResponder: Responder {
    private let upstream: Upstream
    private let target: ProxyTarget
    private let cache: AnswerCache
    private let options: ProxyOptions
    private let clock: LayerClock
    private let reachability: Reachability
    private let refreshes = Refreshes()

    /// - Throws: `invalidConfiguration` when the source's address is none.
    public init(
        _ upstream: Upstream, cache: AnswerCache, _ options: ProxyOptions, clock: LayerClock
    ) throws {
        guard let target = ProxyTarget(upstream) else {
            throw PatchbayError(
                .invalidConfiguration, "source.base-url is no address, so it cannot be served")
        }
        self.upstream = upstream
        self.target = target
        self.cache = cache
        self.options = options
        self.clock = clock
        reachability = Reachability(clock: clock)
    }

    public func respond(to request: ServerRequest) async -> ServerResponse {
        do {
            let question = try ProxyQuestion(request, target, lender: upstream.lender, cache.digest)
            let exchange = ProxyExchange(
                question: question, cache: cache, networking: question.lends ? lending : upstream.networking,
                clock: clock, reachability: reachability, refreshes: refreshes,
                confirmsAlways: options.confirmsAlways,
                answer: ProxyAnswer(question: question, rewriting: rewriting(for: request)))
            return try await exchange.response()
        } catch let refusal as ProxyRefusal {
            return refusal.response
        } catch {
            return ServerResponse(failed: error, clock.now())
        }
    }

    private var lending: any Networking { upstream.lending ?? upstream.networking }

    private func rewriting(for request: ServerRequest) -> AddressRewriting {
        let base = target.base.path == "/" ? target.base.origin : target.base.text
        let scheme = options.isBehindProxy ? "https" : request.head.scheme ?? "http"
        let host = request.head.authority ?? ""
        // On a socket clients call the server by the name of the source's: nothing is replaced then.
        let isSame = host.lowercased() == target.base.authority || !Self.isAuthority(host)
        return AddressRewriting(
            from: base, to: "\(scheme)://\(host)", scope: isSame ? .nothing : options.rewriting)
    }

    /// Whether a text is harmless in an address: over a socket a client may send any.
    private static func isAuthority(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x3A, 0x41...0x5A, 0x61...0x7A: true
                default: ".-_[]".utf8.contains(byte)
                }
            }
    }
}

extension ServerResponse {
    /// The answer when the source's server gave none.
    fileprivate init(failed error: any Error, _ now: Timestamp) {
        guard let error = error as? PatchbayError else {
            self = .problem(.badGateway, "the request was cancelled", code: .cancelled)
            return
        }
        var fields = HTTPFields()
        if let retryAt = error.retryAt {
            let seconds = (now.age(at: retryAt) / .seconds(1)).rounded(.up)
            fields[.retryAfter] = String(max(1, Int(seconds)))
        }
        CacheStatus.forwarded(.uriMiss, status: nil).add(to: &fields)
        let status: HTTPResponse.Status =
            switch error.code {
            case .rateLimited: .tooManyRequests
            case .offline: error.isUnreachable ? .gatewayTimeout : .badGateway
            case .notFound: .notFound
            case .invalidValue: .badRequest
            default: .badGateway
            }
        self = .problem(status, error.message, code: error.code, fields)
    }
}
