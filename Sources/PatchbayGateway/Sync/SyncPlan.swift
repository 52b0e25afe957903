public import PatchbayDomain

/// What a sync will cost, as far as can be known from what is stored. Nothing is asked for it.
public struct SyncPlan: Hashable, Sendable {
    /// The requests for the pages and rows that are known; at least one for each list.
    public internal(set) var requestsMin = 0
    /// The same where the end of every list is known, else nil. A list that has grown costs more.
    public internal(set) var requestsMax: Int? = 0
    /// How many of these ask whether something has changed, which costs no budget if it has not.
    public internal(set) var conditional = 0
    /// The pages of an interrupted sync that need not be fetched again.
    public internal(set) var pagesDone: Int64 = 0
    /// What the source still answers, where somebody counts.
    public internal(set) var budget: RequestBudget?

    /// Whether the budget lasts for what is known; nil without a budget.
    public var fitsBudget: Bool? { budget.map { $0.remaining >= requestsMax ?? requestsMin } }

    /// Adds what another part costs.
    mutating func add(_ other: SyncPlan) {
        requestsMin += other.requestsMin
        requestsMax = requestsMax.flatMap { known in other.requestsMax.map { known + $0 } }
        conditional += other.conditional
        pagesDone += other.pagesDone
    }

    /// The plan when no more than so many requests may be sent.
    func limited(to maximumRequests: Int?) -> SyncPlan {
        guard let maximumRequests else { return self }
        var plan = self
        plan.requestsMin = min(requestsMin, maximumRequests)
        plan.requestsMax = min(requestsMax ?? .max, maximumRequests)
        plan.conditional = min(conditional, maximumRequests)
        return plan
    }
}
