import HTTPTypes
package import PatchbayCore

/// The remainder of a rate limit, stored for the next run and for other processes.
package struct StoredBudget: Hashable, Sendable {
    /// Scheme, host and port: `https://api.github.com`.
    package var origin = ""
    /// The `TokenFingerprint`; empty for requests without a token.
    package var token = ""
    /// The budget's name: `core`, `search`; `secondary` for a limit on all requests.
    package var resource = ""
    /// The number of requests of a full budget; 0 when the server does not report it.
    package var limit: Int64 = 0
    /// The number of requests left until the reset.
    package var remaining: Int64 = 0
    /// When the budget is full again, by this machine's clock.
    package var resetsAt = Timestamp(milliseconds: 0)
    /// Whether the numbers are not from an answer of the server, because a new period is assumed, a first request is
    /// finding out the limit, or the server reports none.
    package var isEstimate = false
    /// The process whose first request is finding out the limit.
    package var prober: String?

    package init() {}

    /// Creates a budget as the server reported it.
    package init(
        origin: String, token: String, resource: String, limit: Int64, remaining: Int64, resetsAt: Timestamp
    ) {
        self.origin = origin
        self.token = token
        self.resource = resource
        self.limit = limit
        self.remaining = remaining
        self.resetsAt = resetsAt
    }
}

extension StoredBudget: ColumnRecord {
    var key: Key { name.key }

    static let origin = RecordColumn(0, "origin", \Self.origin)
    static let token = RecordColumn(1, "token", \Self.token)
    static let resource = RecordColumn(2, "resource", \Self.resource)
    static let limit = RecordColumn(3, "request_limit", count: \Self.limit)
    static let remaining = RecordColumn(4, "remaining", count: \Self.remaining)
    static let resetsAt = RecordColumn(5, "resets_at_ms", \Self.resetsAt)
    static let isEstimate = RecordColumn(6, "is_estimate", \Self.isEstimate)
    static let prober = RecordColumn(7, "prober", \Self.prober)

    package static let columns = [
        origin, token, resource, limit, remaining, resetsAt, isEstimate, prober,
    ]

    /// The columns in a storage; the key is origin, token and resource.
    package static let collection = CollectionSchema(
        "request_budgets", key: origin.position, token.position, resource.position, fields: fields)
}

extension StoredBudget {
    /// The name of a budget: each token has one for each resource at each origin.
    struct Name: Hashable, Sendable {
        let origin: String
        /// Empty without a token.
        let token: String
        var resource: String

        init(_ request: HTTPRequest, resource: String, sentAs scheme: Authorization.Scheme = .bearer) {
            origin = HTTPAddress(of: request).origin
            token = scheme.fingerprint(of: request)?.description ?? ""
            self.resource = resource
        }

        /// The limit on all requests of the same token at the same origin.
        var secondary: Name {
            var name = self
            name.resource = RateLimitResource.secondary
            return name
        }

        fileprivate init(_ budget: StoredBudget) {
            (origin, token, resource) = (budget.origin, budget.token, budget.resource)
        }

        var key: Key { [.text(origin), .text(token), .text(resource)] }
    }

    var name: Name { Name(self) }

    /// Whether an answer has reported the budget, and it is not full yet. A later reset than any that is stored was
    /// noted while the clock was ahead.
    package func isInForce(at now: Timestamp) -> Bool {
        resetsAt > now && !isEstimate && !resetsAt.isImpossible(at: now, within: RetryAfter.delayMax)
    }
}
