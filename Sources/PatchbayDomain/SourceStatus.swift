public import PatchbayCore

/// The state of a source and of the credentials, as the source reports it.
public struct SourceStatus: Hashable, Sendable {
    /// The time of the source's clock; nil when it is not reported.
    public var serverTime: Timestamp?
    /// When the credentials expire; nil when they do not, or when that is not reported.
    public var credentialsExpireAt: Timestamp?
    /// The budgets that the source counts, in its order.
    public var limits: [SourceLimit]

    public init(limits: [SourceLimit] = []) { self.limits = limits }
}

/// A budget of requests as the source reports it.
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
