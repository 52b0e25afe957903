import HTTPTypes
import PatchbayCore

/// A refusal because of too many requests (semantics 22, 23).
struct RateLimit {
    private let isSecondary: Bool
    private let retryAfter: String?
    private let resetsAt: Timestamp?

    /// Nil when the answer refuses for another reason.
    ///
    /// A 403 is a limit when nothing remains, when it says how long to wait, or when its text speaks of a
    /// secondary limit; a 429 always is.
    init?(_ head: HTTPResponse, _ said: ErrorBody) {
        let isExhausted = head.headerFields[.rateLimitRemaining] == "0"
        let says = RateLimit.isAboutSecondaryLimit(said)
        retryAfter = head.headerFields[.retryAfter]
        guard
            head.status == .tooManyRequests
                || (head.status == .forbidden && (isExhausted || says || retryAfter != nil))
        else { return nil }
        isSecondary = says || !isExhausted
        resetsAt = isExhausted ? RateLimit.reset(head) : nil
    }

    func error(host: String, _ context: [String: String]) -> PatchbayError {
        let limit =
            isSecondary
            ? "the secondary rate limit of \(host) was passed" : "the rate limit of \(host) is used up"
        var context = context
        context["retry after"] = retryAfter.map(Quotation.plain)
        context["resets at"] = resetsAt?.description
        return PatchbayError(.rateLimited, "\(limit); \(advice)", context)
    }

    /// `Retry-After` first, then the time of the reset, else the least that GitHub asks for.
    private var advice: String {
        if let retryAfter {
            return Int(retryAfter).map { "try again in \($0) seconds" }
                ?? "try again at \(Quotation.plain(retryAfter))"
        }
        if let resetsAt { return "it resets at \(resetsAt); a token has a higher limit" }
        return "wait at least a minute"
    }

    private static func reset(_ head: HTTPResponse) -> Timestamp? {
        guard let text = head.headerFields[.rateLimitReset], let seconds = Int64(text),
            (0...253_402_300_799).contains(seconds)
        else { return nil }
        return Timestamp(milliseconds: seconds * 1_000)
    }

    private static func isAboutSecondaryLimit(_ said: ErrorBody) -> Bool {
        let texts = [said.message, said.documentationURL].compactMap { $0?.lowercased() }
        return texts.contains {
            $0.contains("secondary rate limit") || $0.contains("secondary-rate-limits")
                || $0.contains("abuse")
        }
    }
}
