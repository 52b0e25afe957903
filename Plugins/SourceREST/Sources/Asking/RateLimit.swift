import HTTPTypes
import PatchbayCore

/// What a refusal because of too many requests says here, where no layer below has dealt with it
/// (semantics 22, 23).
struct RateLimit {
    private let refusal: RateLimitRefusal
    /// When the server answered, by its own clock; nil when it did not say.
    private let answeredAt: Timestamp?

    /// Nil when the answer refuses for another reason.
    init?(_ response: Response) {
        guard let refusal = RateLimitRefusal(response) else { return nil }
        self.refusal = refusal
        answeredAt = response.head.headerFields[.date].flatMap(Timestamp.init(httpDate:))
    }

    /// A refusal that the body reports, whatever its status.
    init(limited response: Response) {
        var response = response
        response.head.status = .tooManyRequests
        self.init(response)!
    }

    /// The least pause after a secondary limit that says nothing else (semantics 23).
    private static let pauseMin = Duration.seconds(60)

    /// When to ask again, in the server's time; nil when that cannot be told without its clock.
    private var comeBackAt: Timestamp? {
        moment(refusal.retryAfter ?? refusal.reset ?? .delay(Self.pauseMin))
    }

    private func moment(_ when: RetryAfter) -> Timestamp? {
        switch when {
        case .delay(let delay): answeredAt?.advanced(by: delay)
        case .date(let date): date
        }
    }

    private var retryAfter: String? {
        switch refusal.retryAfter {
        case .delay(let delay): "\(delay.components.seconds) s"
        case .date(let date): date.description
        case nil: nil
        }
    }

    func error(host: String, _ context: [String: String]) -> PatchbayError {
        let limit =
            refusal.isSecondary
            ? "the secondary rate limit of \(host) was exceeded" : "the rate limit of \(host) is used up"
        var context = context
        context["resets at"] = refusal.reset.flatMap(moment)?.description
        context["retry after"] = retryAfter
        context["come back at"] = comeBackAt?.description
        return PatchbayError(.rateLimited, "\(limit); \(advice)", context)
    }

    /// `Retry-After` first, then the time of the reset, else the least that GitHub asks for.
    private var advice: String {
        switch (refusal.retryAfter, refusal.reset) {
        case (.delay(let delay), _): "try again in \(delay.components.seconds) seconds"
        case (.date(let date), _): "try again at \(date)"
        case (nil, .date(let date)): "it resets at \(date); a token has a higher limit"
        case (nil, .delay(let delay)):
            "it resets in \(delay.components.seconds) seconds; a token has a higher limit"
        case (nil, nil): "wait at least a minute"
        }
    }
}
