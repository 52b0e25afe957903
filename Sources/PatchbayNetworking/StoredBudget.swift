import HTTPTypes
package import PatchbayCore

/// The remainder of a rate limit, stored for the next run and for other processes.
package struct StoredBudget: Hashable, Sendable {
    /// Scheme, host and port: `https://api.github.com`.
    package var origin: String
    /// The `TokenFingerprint`; empty for requests without a token.
    package var token: String
    /// The budget's name: `core`, `search`; `secondary` for a limit on all requests.
    package var resource: String
    /// The number of requests of a full budget; 0 when the server does not report it.
    package var limit: Int64
    /// The number of requests left until the reset.
    package var remaining: Int64
    /// When the budget is full again, by this machine's clock.
    package var resetsAt: Timestamp
    /// Whether the numbers are not from an answer of the server, because a new period is assumed, a first request is
    /// finding out the limit, or the server reports none.
    package var isEstimate = false
    /// The process whose first request is finding out the limit.
    package var prober: String?

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

extension StoredBudget: StoredRecord {
    var key: Key { name.key }

    static let origin = RowColumn<String>(0, "origin")
    static let token = RowColumn<String>(1, "token")
    static let resource = RowColumn<String>(2, "resource")
    static let limit = RowColumn<Int64>(3, "request_limit")
    static let remaining = RowColumn<Int64>(4, "remaining")
    static let resetsAt = RowColumn<Timestamp>(5, "resets_at_ms")
    static let isEstimate = RowColumn<Bool>(6, "is_estimate")
    static let prober = RowColumn<String?>(7, "prober")

    /// The columns in a storage; the key is origin, token and resource.
    package static let collection = CollectionSchema(
        "request_budgets", key: origin.position, token.position, resource.position,
        fields: [
            origin.field, token.field, resource.field, limit.field, remaining.field, resetsAt.field,
            isEstimate.field, prober.field,
        ])

    /// Reads a stored budget.
    package init(_ row: borrowing RowView) {
        self.init(
            origin: row[Self.origin], token: row[Self.token], resource: row[Self.resource],
            limit: row[Self.limit], remaining: row[Self.remaining], resetsAt: row[Self.resetsAt])
        isEstimate = row[Self.isEstimate]
        prober = row[Self.prober]
    }

    /// Writes all columns.
    package func write(to row: inout RowBuilder) {
        row[Self.origin] = origin
        row[Self.token] = token
        row[Self.resource] = resource
        row[Self.limit] = limit
        row[Self.remaining] = remaining
        row[Self.resetsAt] = resetsAt
        row[Self.isEstimate] = isEstimate
        row[Self.prober] = prober
    }
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
}
