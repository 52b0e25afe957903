/// A wait for a rate limit that begins now.
public struct RateLimitWait: Hashable, Sendable {
    /// The server's name, with its port when the address states one.
    public let server: String
    /// How long it will take.
    public let duration: Duration

    public init(server: String, duration: Duration) {
        self.server = server
        self.duration = duration
    }
}
