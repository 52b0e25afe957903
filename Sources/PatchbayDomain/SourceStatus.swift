public import PatchbayCore

/// The state of a source and of the credentials, as the source reports it.
public struct SourceStatus: Hashable, Sendable {
    /// The time of the source's clock; nil when it is not reported.
    public var serverTime: Timestamp?
    /// When the credentials expire; nil when they do not, or when that is not reported.
    public var credentialsExpireAt: Timestamp?
    /// The budgets that the source counts, in its order.
    public var limits: [SourceLimit]

    /// Creates a state without the server's time and the expiry of credentials.
    public init(limits: [SourceLimit] = []) { self.limits = limits }
}

/// A budget of requests as the source reports it.
public struct SourceLimit: Hashable, Sendable {
    /// What the budget is for: `core`, `search`.
    public var resource: String
    /// The number of requests of a full budget.
    public var limit: Int64
    /// The number of requests left until the reset.
    public var remaining: Int64
    /// When the budget is full again; nil when the source does not report it.
    public var resetsAt: Timestamp?

    /// Creates a budget with the source's own numbers.
    public init(resource: String, limit: Int64, remaining: Int64, resetsAt: Timestamp?) {
        self.resource = resource
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}
