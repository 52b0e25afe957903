public import PatchbayCore

/// A client's request and its outcome, for a log. It contains no secrets.
public struct ServedRequest: Sendable {
    /// The time when the server began to answer.
    public let startedAt: Timestamp
    /// The method as the client sent it.
    public let method: String
    /// Path and query, without the values of secrets.
    public let target: String
    /// The status code of the answer.
    public let status: Int
    /// The time until the answer's head was known.
    public let duration: Duration
    /// The length of the body; nil for a streamed one.
    public let bodyBytes: Int?
    /// The outcome of the proxy's cache as in `Cache-Status`: `hit`, `fwd=uri-miss`; nil if it was not involved.
    public let cacheStatus: String?
    /// The address that the client connected from.
    public let client: ServerRequest.Endpoint
    /// The fingerprint of the token that was sent; nil without one.
    package let tokenFingerprint: TokenFingerprint?
}
