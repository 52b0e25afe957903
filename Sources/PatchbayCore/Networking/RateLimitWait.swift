/// A wait for a rate limit that is about to begin.
public struct RateLimitWait: Hashable, Sendable {
    /// The server's name, with its port if the address contains one.
    public let server: String
    /// The length of the wait.
    public let duration: Duration

    /// Creates the value that a rate limit passes to its `waiting` callback before it waits.
    package init(server: String, duration: Duration) {
        self.server = server
        self.duration = duration
    }
}
