/// The work of the layers since they were created.
public struct RequestCounts: Hashable, Sendable {
    /// Requests sent to the network, counting each attempt and each hop.
    public var sent = 0
    /// Sent requests that the server answered with 304.
    public var notModified = 0
    /// Sent requests that received no answer.
    public var failed = 0
    /// The amount of rate limits that sent requests used.
    public var cost = 0
    /// The total size of the received bodies, decompressed.
    public var bodyBytes = 0
    /// Callers that shared another caller's request.
    public var coalesced = 0
    /// Hops saved by a remembered redirect.
    public var rememberedRedirects = 0
    /// Answers from a recording.
    public var recorded = 0
    /// Requests sent again after a failure.
    public var retried = 0
    /// Waits for a rate limit.
    public var waited = 0
    /// The time of these waits.
    public var waitedTime = Duration.zero
    /// Requests that were not sent because a rate limit would have delayed them too long.
    public var refused = 0
    /// Failures to save a budget; saving is retried with the next answer.
    public var unsavedBudgets = 0

    /// Creates counts of zero.
    public init() {}
}
