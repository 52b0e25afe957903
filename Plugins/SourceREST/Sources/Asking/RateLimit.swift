import HTTPTypes
import PatchbayCore

/// The error for an answer that refuses because of a rate limit, if no layer below has handled it.
struct RateLimit {
    private let refusal: RateLimitRefusal
    /// `Retry-After`, or else the wait that the body asks for.
    private let wait: RetryAfter?
    /// The time of the answer by the server's clock; nil if it is not stated.
    private let answeredAt: Timestamp?

    /// Nil when the answer refuses for another reason.
    ///
    /// - Parameter bodyWait: the wait that the body asks for.
    init?(_ response: Response, bodyWait: RetryAfter?) {
        guard let refusal = RateLimitRefusal(response) else { return nil }
        self.init(refusal, response, bodyWait: bodyWait)
    }

    /// Creates the limit for a refusal in the body, with any status.
    init(limited response: Response, bodyWait: RetryAfter?) {
        self.init(RateLimitRefusal(refusing: response), response, bodyWait: bodyWait)
    }

    private init(_ refusal: RateLimitRefusal, _ response: Response, bodyWait: RetryAfter?) {
        self.refusal = refusal
        wait = refusal.retryAfter ?? bodyWait
        answeredAt = response.head.headerFields[.date].flatMap(Timestamp.init(httpDate:))
    }

    /// The minimum pause after a secondary limit without other information.
    private static let pauseMin = Duration.seconds(60)

    /// The time to try again, in the server's time; nil if that depends on its unknown clock.
    private var retryAt: Timestamp? {
        let first = wait ?? refusal.reset ?? .delay(Self.pauseMin)
        return first.moment(after: answeredAt) ?? refusal.reset?.moment(after: answeredAt)
    }

    func error(host: String, _ details: [PatchbayError.Detail]) -> PatchbayError {
        let limit =
            refusal.isCalledSecondary
            ? "the secondary rate limit of \(host) was exceeded" : "the rate limit of \(host) is used up"
        return PatchbayError(
            .rateLimited, "\(limit); \(advice)", details + (retryAt.map { [.retryAt($0)] } ?? []))
    }

    /// Prefers `Retry-After`, then the time of the reset, otherwise the minimum that GitHub requires.
    private var advice: String {
        switch (wait, refusal.reset) {
        case (let retryAfter?, _): retryAfter.advice
        case (nil, .date(let date)): "it resets at \(date); a token may have a higher limit"
        case (nil, .delay(let delay)):
            "it resets in \(delay.components.seconds) seconds; a token may have a higher limit"
        case (nil, nil): "wait at least a minute"
        }
    }
}

extension RetryAfter {
    /// The time that it means in an answer of this time; nil if that is not stated.
    func moment(after answeredAt: Timestamp?) -> Timestamp? {
        switch self {
        case .delay(let delay): answeredAt?.advanced(by: delay)
        case .date(let date): date
        }
    }

    var advice: String {
        switch self {
        case .delay(let delay):
            "try again in \(Count.words(delay.components.seconds, "second"))"
        case .date(let date): "try again at \(date)"
        }
    }
}
