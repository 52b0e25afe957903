public import HTTPTypes
public import PatchbayCore
import Synchronization

/// Sends a request again when what went wrong may pass.
///
/// Only requests that may be repeated (RFC 9110, section 9.2.2): GET, HEAD, OPTIONS, PUT, DELETE.
///
/// | answer | what happens |
/// |---|---|
/// | no answer (`offline`), 408, 500, 502, 503, 504 and other 5xx but 501 and 505 | again, after pauses that grow |
/// | such a status with `Retry-After` | again, after at least that time if it fits |
/// | 202 to a GET: still being computed | asked again, after pauses that grow |
/// | 401 that does not say "Bad credentials" | once more |
/// | 404 with an entity tag, which no such answer should have | once more, past all caches |
/// | anything else, 400, 403, 410, 422 and 451 among it | is the answer |
///
/// When the attempts or the time are used up, the last answer or error is the result. Limits are the work of
/// ``RateLimit``: its `rateLimited` passes.
public final class Retry: NetworkingLayer {
    /// What may be set.
    public struct Options: Sendable {
        /// Sends in all, the first among them.
        public var attemptsMax = 4
        /// The longest that the first pause may be; each further one may be twice as long.
        public var pauseFirst = Duration.seconds(1)
        /// The longest pause.
        public var pauseMax = Duration.seconds(20)
        /// The time from the first send on after which no other begins.
        public var timeMax = Duration.seconds(60)

        /// Whether a POST may be repeated, too: for an API whose requests for rows are POSTs.
        public var repeatsPosts = false

        /// Whether every answer is the result, whatever it reports: then only a request without one is sent again.
        public var takesEveryAnswer = false

        public init() {}
    }

    private let options: Options
    private let backoff: Backoff
    private let clock: LayerClock
    private let log: RequestLog?

    /// - Parameter jitter: draws from 0 to 1 how much of a pause is taken; a test gives one with a seed.
    public init(
        _ options: Options = Options(), clock: LayerClock, log: RequestLog? = nil,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        precondition(options.attemptsMax >= 1, "there is one attempt at least")
        self.options = options
        self.backoff = Backoff(first: options.pauseFirst, max: options.pauseMax, jitter: jitter)
        self.clock = clock
        self.log = log
    }

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard request.method.isIdempotent || (options.repeatsPosts && request.method == .post) else {
            return try await next.send(request, body: body)
        }
        var request = request
        var judge = RetryJudge()
        var attempts = 0
        let start = clock.uptime()
        while true {
            let result = await result { try await next.send(request, body: body) }
            attempts += 1
            guard attempts < options.attemptsMax, !(options.takesEveryAnswer && result.isSuccess),
                let again = judge.again(result, request, clock.now())
            else { return try answer(result, attempts) }
            let pause = max(again.pauseMin, backoff.pause(attempts - 1))
            guard clock.uptime() - start + pause <= options.timeMax else {
                return try answer(result, attempts)
            }
            if again.isPastCaches { request.headerFields[.cacheControl] = "no-cache" }
            try await clock.sleep(pause)
            log?.count { $0.retried += 1 }
        }
    }

    private func result(_ send: () async throws -> Response) async -> Result<Response, any Error> {
        do {
            return .success(try await send())
        } catch {
            return .failure(error)
        }
    }

    private func answer(_ result: Result<Response, any Error>, _ attempts: Int) throws -> Response {
        do {
            return try result.get()
        } catch let error as PatchbayError where attempts > 1 {
            throw error.adding(["attempts": String(attempts)])
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
