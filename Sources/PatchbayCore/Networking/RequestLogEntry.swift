/// One request and what came of it. It holds no secret.
public struct RequestLogEntry: Sendable {
    /// Counts from 1; the next entry has the next number.
    public let number: Int
    public let startedAt: Timestamp
    public let method: String
    /// Without the values of secrets in its query.
    public let url: String
    public let origin: Origin
    /// The status that was answered, nil when none was.
    public let status: Int?
    /// What went wrong, nil when there was an answer.
    public let error: PatchbayError.Code?
    public let duration: Duration
    /// The length of the body, inflated.
    public let bodyBytes: Int
    /// How much of the rate limit's budget it used: 1, or 0 for an answer that is free or has no budget.
    public let cost: Int
    /// What is left of the budget, where the answer says it.
    public let remaining: Int?
    /// Stands for the token that was sent; nil without one.
    public let tokenFingerprint: TokenFingerprint?
    /// The name that the server gave the request, for asking its people.
    public let serverRequestID: String?

    public init(
        number: Int, startedAt: Timestamp, method: String, url: String, origin: Origin, status: Int?,
        error: PatchbayError.Code?, duration: Duration, bodyBytes: Int, cost: Int, remaining: Int?,
        tokenFingerprint: TokenFingerprint?, serverRequestID: String?
    ) {
        self.number = number
        self.startedAt = startedAt
        self.method = method
        self.url = url
        self.origin = origin
        self.status = status
        self.error = error
        self.duration = duration
        self.bodyBytes = bodyBytes
        self.cost = cost
        self.remaining = remaining
        self.tokenFingerprint = tokenFingerprint
        self.serverRequestID = serverRequestID
    }

    /// Where the answer came from.
    public enum Origin: String, Sendable {
        case network
        /// Another caller had asked for the same and shared the answer.
        case coalesced
        /// A permanent redirect that is known: nothing was sent to this address.
        case rememberedRedirect = "remembered redirect"
        /// A recording that already holds it.
        case recording
    }
}
