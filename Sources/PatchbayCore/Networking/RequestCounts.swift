/// What the layers have done since they were made.
public struct RequestCounts: Hashable, Sendable {
    /// Requests that went to the network, each attempt and each hop.
    public var sent = 0
    /// Those of them that the server answered with 304.
    public var notModified = 0
    /// Those of them that got no answer.
    public var failed = 0
    /// What they used of rate limits.
    public var cost = 0
    /// The bytes of the bodies that they brought, inflated.
    public var bodyBytes = 0
    /// Callers that shared another one's request.
    public var coalesced = 0
    /// Hops that a remembered redirect saved.
    public var rememberedRedirects = 0
    /// Answers from a recording.
    public var recorded = 0
    /// Requests that were sent again after a failure.
    public var retried = 0
    /// Waits for a rate limit.
    public var waited = 0
    /// The time of these waits.
    public var waitedTime = Duration.zero
    /// Requests that were not sent, because a rate limit would have made them wait too long.
    public var refused = 0
    /// Times that a budget could not be saved; it is tried again with the next answer.
    public var unsavedBudgets = 0

    public init() {}
}
