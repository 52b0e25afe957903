public import HTTPTypes

/// A refusal because of too many requests (GitHub's REST API: "Rate limits", "Best practices").
public struct RateLimitRefusal: Sendable {
    /// Too many at once or in too short a time, though the hour's budget may not be used up.
    public let isSecondary: Bool
    public let retryAfter: RetryAfter?
    /// When the budget is full again, in the server's time; nil when it is not used up or this was not said.
    public let resetsAt: Timestamp?

    /// Nil when the answer refuses for another reason.
    ///
    /// A 403 is a limit when nothing remains, when it says how long to wait, or when its text speaks of a
    /// secondary limit; a 429 always is.
    public init?(_ response: Response) {
        let fields = response.head.headerFields
        guard response.head.status == .tooManyRequests || response.head.status == .forbidden else {
            return nil
        }
        let isExhausted = fields[.rateLimitRemaining] == "0"
        let says = RateLimitRefusal.isAboutSecondaryLimit(response.body)
        retryAfter = RetryAfter(fields)
        guard response.head.status == .tooManyRequests || isExhausted || says || retryAfter != nil
        else { return nil }
        isSecondary = says || !isExhausted
        resetsAt = isExhausted ? Timestamp(rateLimitReset: fields) : nil
    }

    /// An error is told in fewer bytes than this.
    private static let saidBytesMax = 16_384

    private static func isAboutSecondaryLimit(_ body: [UInt8]) -> Bool {
        let said = String(decoding: body.prefix(saidBytesMax), as: UTF8.self).lowercased()
        let phrases = [
            "secondary rate limit", "secondary-rate-limits", "abuse-rate-limits", "abuse detection",
        ]
        return phrases.contains { said.contains($0) }
    }
}

extension Timestamp {
    /// When the budget is full again, in the server's time: whole seconds since 1970, years 1970 to 9999.
    public init?(rateLimitReset fields: HTTPFields) {
        guard let text = fields[.rateLimitReset], let seconds = Int64(text),
            (0...253_402_300_799).contains(seconds)
        else { return nil }
        self.init(milliseconds: seconds * 1_000)
    }
}

extension HTTPField.Name {
    /// How many requests the budget allows in one period.
    public static let rateLimitLimit = HTTPField.Name("X-RateLimit-Limit")!
    /// How many of them are left.
    public static let rateLimitRemaining = HTTPField.Name("X-RateLimit-Remaining")!
    /// When all are there again, in seconds since 1970 of the server's clock.
    public static let rateLimitReset = HTTPField.Name("X-RateLimit-Reset")!
    /// The name of the budget: `core`, `search`.
    public static let rateLimitResource = HTTPField.Name("X-RateLimit-Resource")!
}
