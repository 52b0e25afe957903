/// One request and its outcome. It contains no secrets.
public struct RequestLogEntry: Sendable {
    /// Starts at 1 and increases by one with each entry.
    public let number: Int
    /// The time of day at the start of the request.
    public let startedAt: Timestamp
    /// The method: `GET`.
    public let method: String
    /// Without the values of secrets in its query.
    public let url: String
    /// Whether the network answered, or why no request was sent to it.
    public let origin: Origin
    /// The status of the answer; nil when there was none.
    public let status: Int?
    /// The kind of failure; nil when there was an answer.
    public let error: PatchbayError.Code?
    /// The time from the start until the whole answer was received or the request failed.
    public let duration: Duration
    /// The length of the body, decompressed.
    public let bodyBytes: Int
    /// The part of the rate limit's budget that was used: 1, or 0 for an answer that is free or has no budget.
    public let cost: Int
    /// The remaining budget, if the answer reports it.
    public let remaining: Int?
    /// Identifies the token that was sent; nil without one.
    public let tokenFingerprint: TokenFingerprint?
    /// The server's id of the request, to quote in a report to its operators.
    public let serverRequestID: String?

    /// Creates an entry. The caller removes secrets from `url` and `serverRequestID`.
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

    /// The origin of the answer.
    public enum Origin: String, Sendable {
        /// The server.
        case network
        /// Shared with another caller that had sent the same request.
        case coalesced
        /// A known permanent redirect; no request was sent to this address.
        case rememberedRedirect = "remembered redirect"
        /// A recording that contains the answer.
        case recording
    }
}
