package import HTTPTypes

/// A refusal because of too many requests (GitHub's REST API: "Rate limits", "Best practices").
package struct RateLimitRefusal: Sendable {
    /// Whether the limit is one of simultaneous or rapid requests; the hourly budget may not be used up.
    package let isSecondary: Bool
    /// Whether the answer itself calls it a secondary limit, as GitHub does.
    package let isCalledSecondary: Bool
    /// The wait that the field `Retry-After` requests; nil without the field.
    package let retryAfter: RetryAfter?
    /// When the budget is reset; nil when it is not used up or the time is not reported.
    package let reset: RetryAfter?

    /// Nil when the answer refuses for another reason.
    ///
    /// A 403 is a rate limit when nothing remains, when it states how long to wait, or when its text mentions a
    /// secondary limit. A 429 always is.
    package init?(_ response: Response) {
        let fields = response.head.headerFields
        guard response.head.status == .tooManyRequests || response.head.status == .forbidden else {
            return nil
        }
        let report = RateLimitReport(fields)
        let isExhausted = report.remaining == 0
        isCalledSecondary = RateLimitRefusal.isAboutSecondaryLimit(response.body)
        retryAfter = RetryAfter(fields)
        let isRefusal = response.head.status == .tooManyRequests || isExhausted || isCalledSecondary
        guard isRefusal || retryAfter != nil else { return nil }
        isSecondary = isCalledSecondary || !isExhausted
        reset = isExhausted || report.remaining == nil ? report.reset : nil
    }

    /// Creates the refusal by an answer whose body says so, with any status.
    package init(refusing response: Response) {
        var response = response
        response.head.status = .tooManyRequests
        self.init(response)!
    }

    /// The maximum size of an error's body.
    private static let textBytesMax = 16_384

    private static func isAboutSecondaryLimit(_ body: [UInt8]) -> Bool {
        let text = String(decoding: body.prefix(textBytesMax), as: UTF8.self).lowercased()
        let phrases = [
            "secondary rate limit", "secondary-rate-limits", "abuse-rate-limits", "abuse detection",
        ]
        return phrases.contains { text.contains($0) }
    }
}

extension HTTPField.Name {
    /// The name of the budget: `core`, `search`.
    package static let rateLimitResource = HTTPField.Name("X-RateLimit-Resource")!
}
