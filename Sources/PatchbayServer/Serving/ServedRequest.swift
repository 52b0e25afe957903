public import PatchbayCore

/// A request of a client and what came of it, for a log. It holds no secret.
public struct ServedRequest: Sendable {
    public let startedAt: Timestamp
    public let method: String
    /// Path and query, without the values of secrets.
    public let target: String
    public let status: Int
    /// The time until the answer's head was known.
    public let duration: Duration
    /// The length of the body; nil for one that is sent piece by piece.
    public let bodyBytes: Int?
    /// How the proxy's cache came in, as `Cache-Status` says it: `hit`, `fwd=uri-miss`; nil where it did not.
    public let cacheStatus: String?
    public let client: ServerRequest.Endpoint
    /// Stands for the token that was sent; nil without one.
    public let tokenFingerprint: TokenFingerprint?
}
