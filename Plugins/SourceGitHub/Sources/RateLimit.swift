import HTTPTypes
import PatchbayCore

/// What a refusal because of too many requests says here, where no layer below has dealt with it
/// (semantics 22, 23).
struct RateLimit {
    private let refusal: RateLimitRefusal

    /// Nil when the answer refuses for another reason.
    init?(_ response: Response) {
        guard let refusal = RateLimitRefusal(response) else { return nil }
        self.refusal = refusal
    }

    func error(host: String, _ context: [String: String]) -> PatchbayError {
        let limit =
            refusal.isSecondary
            ? "the secondary rate limit of \(host) was passed" : "the rate limit of \(host) is used up"
        var context = context
        context["resets at"] = refusal.resetsAt?.description
        return PatchbayError(.rateLimited, "\(limit); \(advice)", context)
    }

    /// `Retry-After` first, then the time of the reset, else the least that GitHub asks for.
    private var advice: String {
        switch (refusal.retryAfter, refusal.resetsAt) {
        case (.delay(let delay), _): "try again in \(delay.components.seconds) seconds"
        case (.date(let date), _): "try again at \(date)"
        case (nil, let resetsAt?): "it resets at \(resetsAt); a token has a higher limit"
        case (nil, nil): "wait at least a minute"
        }
    }
}
