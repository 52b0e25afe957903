public import PatchbayCore

/// How a source and the credentials are, as it says itself.
public struct SourceStatus: Hashable, Sendable {
    /// What the source's clock shows; nil when it does not say.
    public var serverTime: Timestamp?
    /// When the credentials end; nil when they do not, or this was not said.
    public var credentialsExpireAt: Timestamp?
    /// The budgets that it counts, in its order.
    public var limits: [SourceLimit]

    public init(limits: [SourceLimit] = []) { self.limits = limits }
}

/// A budget of requests as the source tells it.
public struct SourceLimit: Hashable, Sendable {
    /// What the budget is for: `core`, `search`.
    public var resource: String
    public var limit: Int64
    public var remaining: Int64
    public var resetsAt: Timestamp?

    public init(resource: String, limit: Int64, remaining: Int64, resetsAt: Timestamp?) {
        self.resource = resource
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}
