package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Sends a request again after a failure that may be temporary.
///
/// Only idempotent methods are retried (RFC 9110, section 9.2.2): GET, HEAD, OPTIONS, PUT, DELETE.
///
/// | answer | action |
/// |---|---|
/// | no answer (`offline`), 408, and 5xx except 501, 505 and 511 | sent again after growing pauses |
/// | such a status with `Retry-After` | sent again after at least that time, if `timeMax` allows |
/// | 202 to a GET (still being computed) | sent again after growing pauses |
/// | 401 without "Bad credentials" | sent once more |
/// | 404 with an entity tag, which a 404 should not have | sent once more, bypassing caches |
/// | anything else, including 400, 403, 410, 422 and 451 | returned |
///
/// When the attempts or the time are used up, the last answer or error is the result. Limits are left to ``RateLimit``,
/// whose `rateLimited` errors are not retried.
package final class Retry: NetworkingLayer {
    /// Limits on attempts, pauses and time.
    package struct Options: Sendable {
        /// The maximum number of attempts, including the first.
        package var attemptsMax = 4
        /// The maximum of the first pause; it doubles with each further pause.
        package var pauseFirst = Duration.seconds(1)
        /// The maximum of any pause.
        package var pauseMax = Duration.seconds(20)
        /// The time after the start of the first attempt after which no other attempt starts.
        package var timeMax = Duration.seconds(60)

        /// Whether POST requests are retried as well, for an API that reads rows with POST.
        package var repeatsPosts = false

        /// Whether every answer is returned, whatever its status. Then only a request without an answer is sent again.
        package var takesEveryAnswer = false

        /// Creates the default limits.
        package init() {}
    }

    private let options: Options
    private let backoff: Backoff
    private let clock: LayerClock
    private let log: RequestLog?

    /// - Parameter jitter: returns the part of a pause that is used, from 0 to 1. Tests pass a seeded one.
    package init(
        _ options: Options = Options(), clock: LayerClock, log: RequestLog? = nil,
        jitter: @escaping @Sendable () -> Double = { Double.random(in: 0...1) }
    ) {
        precondition(options.attemptsMax >= 1, "attemptsMax must be at least 1")
        self.options = options
        self.backoff = Backoff(first: options.pauseFirst, max: options.pauseMax, jitter: jitter)
        self.clock = clock
        self.log = log
    }

    /// Returns the first answer that is not temporary, or else the last one. An error after several attempts has their
    /// number as `attempts` in its context.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
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
            throw error.adding([.note("attempts", String(attempts))])
        }
    }
}

extension Result {
    fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}

/// The pauses between attempts. The upper bound doubles with each pause, and the pause is a random part of it, so that
/// many clients do not retry at the same moment ("full jitter").
struct Backoff {
    let first: Duration
    let max: Duration
    /// Returns a random number from 0 to 1.
    let jitter: @Sendable () -> Double

    /// Returns a pause; number 0 is the one before the second attempt.
    func pause(_ number: Int) -> Duration { min(first * (1 << min(number, 16)), max) * jitter() }
}
