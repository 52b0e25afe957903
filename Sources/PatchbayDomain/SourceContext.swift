public import PatchbayCore

/// What a gateway provides to a source that it opens.
public struct SourceContext: Sendable {
    /// Opens the network; called only by a source that sends requests.
    public let networking: @Sendable () async throws -> any Networking
    /// The gateway's store, for data that a source keeps between runs; nil when the source is opened without one. It is
    /// opened after the source, so call this only when the store is needed.
    public var store: (@Sendable () async throws -> Store)?
    /// Called with each request when it has ended, on any thread and concurrently; nil when nothing listens.
    package var report: (@Sendable (RequestLogEntry) -> Void)?
    /// Called when a wait for a rate limit begins, on any thread; nil when nothing listens.
    package var waiting: (@Sendable (RateLimitWait) -> Void)?
    /// Texts that must not appear in an answer, such as the password of a proxy; a source adds its token.
    package var secrets: [String] = []

    /// Creates a context without a store, secrets and callbacks.
    package init(networking: @escaping @Sendable () async throws -> any Networking) {
        self.networking = networking
    }
}
