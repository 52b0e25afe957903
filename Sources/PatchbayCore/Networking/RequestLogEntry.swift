/// One request and its outcome. It contains no secrets.
package struct RequestLogEntry: Sendable {
    /// Starts at 1 and increases by one with each entry.
    package let number: Int
    /// The time of day at the start of the request.
    package let startedAt: Timestamp
    /// The method: `GET`.
    package let method: String
    /// Without the values of secrets in its query.
    package let url: String
    /// Whether the network answered, or why no request was sent to it.
    package let origin: Origin
    /// The status of the answer; nil when there was none.
    package let status: Int?
    /// The kind of failure; nil when there was an answer.
    package let error: PatchbayError.Code?
    /// The time from the start until the whole answer was received or the request failed.
    package let duration: Duration
    /// The length of the body, decompressed.
    package let bodyBytes: Int
    /// The part of the rate limit's budget that was used: 1, or 0 for an answer that is free or has no budget.
    package let cost: Int
    /// The remaining budget, if the answer reports it.
    package let remaining: Int?
    /// Identifies the token that was sent; nil without one.
    package let tokenFingerprint: TokenFingerprint?
    /// The server's id of the request, to quote in a report to its operators.
    package let serverRequestID: String?

    /// Creates an entry. The caller removes secrets from `url` and `serverRequestID`.
    package init(
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
    package enum Origin: String, Sendable {
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
