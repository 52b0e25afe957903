/// The work of the layers since they were created.
package struct RequestCounts: Hashable, Sendable {
    /// Requests sent to the network, counting each attempt and each hop.
    package var sent = 0
    /// Sent requests that the server answered with 304.
    package var notModified = 0
    /// Sent requests that received no answer.
    package var failed = 0
    /// The amount of rate limits that sent requests used.
    package var cost = 0
    /// The total size of the received bodies, decompressed.
    package var bodyBytes = 0
    /// Callers that shared another caller's request.
    package var coalesced = 0
    /// Hops saved by a remembered redirect.
    package var rememberedRedirects = 0
    /// Answers from a recording.
    package var recorded = 0
    /// Requests sent again after a failure.
    package var retried = 0
    /// Waits for a rate limit.
    package var waited = 0
    /// The time of these waits.
    package var waitedTime = Duration.zero
    /// Requests that were not sent because a rate limit would have delayed them too long.
    package var refused = 0
    /// Failures to save a budget; saving is retried with the next answer.
    package var unsavedBudgets = 0

    /// Creates counts of zero.
    package init() {}
}
