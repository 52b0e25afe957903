public import PatchbayDomain

/// The cost of a sync, estimated from the storage without a request.
public struct SyncPlan: Hashable, Sendable {
    /// The number of requests for known pages and rows; at least one for each list.
    public internal(set) var requestsMin = 0
    /// The same number if the end of every list is known, otherwise nil. A list that has grown costs more.
    public internal(set) var requestsMax: Int? = 0
    /// The number of these requests that are conditional, which cost no budget if nothing has changed.
    public internal(set) var conditional = 0
    /// The number of pages of an interrupted sync that need not be fetched again.
    public internal(set) var pagesDone: Int64 = 0
    /// The remaining request budget of the source, if it is known.
    public internal(set) var budget: RequestBudget?

    /// Whether the budget suffices for the known requests; nil without a budget.
    public var fitsBudget: Bool? { budget.map { $0.remaining >= requestsMax ?? requestsMin } }

    /// Adds the cost of another part.
    mutating func add(_ other: SyncPlan) {
        requestsMin += other.requestsMin
        requestsMax = requestsMax.flatMap { known in other.requestsMax.map { known + $0 } }
        conditional += other.conditional
        pagesDone += other.pagesDone
    }

    /// The plan limited to a number of requests.
    func limited(to maximumRequests: Int?) -> SyncPlan {
        guard let maximumRequests else { return self }
        var plan = self
        plan.requestsMin = min(requestsMin, maximumRequests)
        plan.requestsMax = min(requestsMax ?? .max, maximumRequests)
        plan.conditional = min(conditional, maximumRequests)
        return plan
    }
}
