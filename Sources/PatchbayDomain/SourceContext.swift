public import PatchbayCore

/// What a source may use of the gateway that opens it.
public struct SourceContext: Sendable {
    /// Opens the network; called only by a source that asks one.
    public let networking: @Sendable () async throws -> any Networking
    /// The gateway's store, for what a source keeps between runs. It is opened after the source, so it is to be
    /// asked for when it is needed; nil when the source is opened without one.
    public var store: (@Sendable () async throws -> Store)?
    /// Hears of each request when it has ended, on any thread and from several at once; nil when nobody listens.
    public var report: (@Sendable (RequestLogEntry) -> Void)?
    /// Is called when a wait for a rate limit begins, on any thread; nil when nobody listens.
    public var waiting: (@Sendable (RateLimitWait) -> Void)?
    /// Texts that no answer may hand on, such as the password of a proxy; a source adds its token.
    public var secrets: [String] = []

    public init(networking: @escaping @Sendable () async throws -> any Networking) {
        self.networking = networking
    }
}
