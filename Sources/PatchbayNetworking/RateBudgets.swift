import HTTPTypes
package import PatchbayCore

/// The known budgets of all origins and tokens; times are in this process's uptime.
struct RateBudgets {
    /// The maximum number of budgets that are kept; those that open first are dropped.
    static let countMax = 256
    /// Servers open a little after the second that they report.
    private static let margin = Duration.seconds(1)
    /// Answers of one period may report resets this far apart.
    private static let samePeriod = Duration.seconds(5)
    /// The first wait after a limit that states no time, and the maximum after several in a row.
    private static let unsaidMin = Duration.seconds(60), unsaidMax = Duration.seconds(3_600)

    typealias Name = StoredBudget.Name

    private struct Budget {
        var limit: Int64
        var remaining: Int64
        /// The time when it is full again, in uptime and by this machine's clock.
        var opensAt: Duration
        var resetsAt: Timestamp
    }

    /// The time of an answer or a question, by both clocks.
    struct Moment {
        let now: Timestamp
        let uptime: Duration

        init(_ clock: LayerClock) {
            now = clock.now()
            uptime = clock.uptime()
        }
    }

    private var budgets: [Name: Budget] = [:]
    /// The number of answers in a row that reported the limit on all requests as exceeded.
    private var strikes: [Name: Int] = [:]
}

// MARK: - Asking

extension RateBudgets {
    /// A limit that forbids a request until `opensAt`, which is in uptime.
    struct Obstacle {
        let opensAt: Duration
        let isSecondary: Bool
    }

    func obstacle(for name: Name, at uptime: Duration) -> Obstacle? {
        for name in [name.secondary, name] {
            guard let budget = budgets[name], budget.remaining <= 0, budget.opensAt > uptime else { continue }
            return Obstacle(
                opensAt: budget.opensAt, isSecondary: name.resource == RateLimitResource.secondary)
        }
        return nil
    }

    /// Returns the number of requests until the budget is used up; nil when it is unknown.
    func remaining(of name: Name, at uptime: Duration) -> Int64? {
        guard let budget = budgets[name], budget.opensAt > uptime else { return nil }
        return budget.remaining
    }
}

// MARK: - Learning

extension RateBudgets {
    /// Learns the limits that an answer reports.
    ///
    /// - Parameter inBody: what its body states; `Retry-After` of a refusal comes before a wait.
    /// - Returns: the obstacle to sending the request again; nil when no limit was exceeded.
    mutating func learn(
        _ response: Response, inBody: BodyLimit? = nil, for name: Name, at moment: Moment
    ) -> Obstacle? {
        let fields = response.head.headerFields
        var name = name
        name.resource = fields[.rateLimitResource].flatMap(RateBudgets.resource) ?? name.resource
        learnBudget(fields, name, moment)
        let isRefusedInBody = inBody?.isRefusal == true
        guard let refusal = isRefusedInBody ? .init(refusing: response) : RateLimitRefusal(response) else {
            let wait = inBody?.wait?.delay(from: fields, now: moment.now) ?? .zero
            if wait > .zero {
                block(name.secondary, for: wait, moment)
                // An answer without an error is not requested again.
                if response.head.status.code >= 400 {
                    return Obstacle(opensAt: moment.uptime + wait, isSecondary: true)
                }
            }
            if response.head.status.code < 400 { strikes[name.secondary] = nil }
            return nil
        }
        let blocked = refusal.isSecondary ? name.secondary : name
        // Requests that were under way together are refused together, which counts as one strike.
        let isBlocked = (budgets[name.secondary]?.opensAt ?? .zero) > moment.uptime
        strikes[name.secondary, default: 0] += refusal.isSecondary && !isBlocked ? 1 : 0
        let bodyWait = refusal.retryAfter == nil ? inBody?.wait?.delay(from: fields, now: moment.now) : nil
        let wait = bodyWait ?? wait(after: refusal, fields, name, moment)
        block(blocked, for: wait, moment)
        return Obstacle(opensAt: moment.uptime + wait, isSecondary: refusal.isSecondary)
    }

    /// Returns the text if it is allowed in a storage key.
    private static func resource(_ text: String) -> String? {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy(Field.isOfName) ? text : nil
    }

    private mutating func learnBudget(_ fields: HTTPFields, _ name: Name, _ moment: Moment) {
        let report = RateLimitReport(fields)
        guard let remaining = report.remaining, let reset = report.reset else { return }
        let delay = reset.delay(from: fields, now: moment.now)
        var budget = Budget(
            limit: report.limit ?? 0, remaining: remaining,
            opensAt: moment.uptime + delay + Self.margin, resetsAt: moment.now.advanced(by: delay))
        if let known = budgets[name], known.opensAt > moment.uptime,
            abs(known.opensAt, budget.opensAt) < Self.samePeriod
        {
            // Answers may arrive out of order.
            budget.remaining = min(budget.remaining, known.remaining)
        }
        keep(budget, name, moment.uptime)
    }

    /// Prefers `Retry-After`, then the reset; otherwise waits a minute, doubled each time.
    private func wait(
        after refusal: RateLimitRefusal, _ fields: HTTPFields, _ name: Name, _ moment: Moment
    ) -> Duration {
        if let retryAfter = refusal.retryAfter { return retryAfter.delay(from: fields, now: moment.now) }
        if let reset = refusal.reset { return reset.delay(from: fields, now: moment.now) + Self.margin }
        let doublings = min(max(0, strikes[name.secondary, default: 1] - 1), 8)
        return min(Self.unsaidMin * (1 << doublings), Self.unsaidMax)
    }

    private mutating func block(_ name: Name, for wait: Duration, _ moment: Moment) {
        let opensAt = moment.uptime + wait
        // A known longer block stays.
        if let known = budgets[name], known.remaining <= 0, known.opensAt >= opensAt, !isPrimary(name) {
            return
        }
        let limit = budgets[name]?.limit ?? 0
        let budget = Budget(
            limit: limit, remaining: 0, opensAt: opensAt, resetsAt: moment.now.advanced(by: wait))
        keep(budget, name, moment.uptime)
    }

    private func isPrimary(_ name: Name) -> Bool { name.resource != RateLimitResource.secondary }

    private mutating func keep(_ budget: Budget, _ name: Name, _ uptime: Duration) {
        budgets[name] = budget
        guard budgets.count > Self.countMax else { return }
        budgets = budgets.filter { $0.value.opensAt > uptime }
        strikes = strikes.filter { budgets[$0.key] != nil }
        while budgets.count > Self.countMax,
            let first = budgets.min(by: { $0.value.opensAt < $1.value.opensAt })
        {
            budgets[first.key] = nil
        }
    }
}

// MARK: - Between runs

extension RateBudgets {
    /// The budgets that are not full yet.
    func stored(at uptime: Duration) -> [StoredBudget] {
        budgets.filter { $0.value.opensAt > uptime }.map { name, budget in
            StoredBudget(
                origin: name.origin, token: name.token, resource: name.resource, limit: budget.limit,
                remaining: budget.remaining, resetsAt: budget.resetsAt)
        }
    }

    /// Takes over the budgets of another run unless newer ones are known.
    mutating func take(_ stored: [StoredBudget], at moment: Moment) {
        for budget in stored.prefix(Self.countMax) where budget.isInForce(at: moment.now) {
            let name = budget.name, delay = moment.now.age(at: budget.resetsAt)
            guard budgets[name] == nil else { continue }
            budgets[name] = Budget(
                limit: budget.limit, remaining: budget.remaining,
                opensAt: moment.uptime + delay + Self.margin, resetsAt: budget.resetsAt)
        }
    }
}

private func abs(_ left: Duration, _ right: Duration) -> Duration {
    left < right ? right - left : left - right
}

extension RateLimit {
    /// Returns the tightest budget for the next request to a server's API: the main one, or the limit on all requests.
    ///
    /// - Parameters:
    ///   - baseURL: an address of the server.
    ///   - token: the fingerprint of the token that is sent; nil without one.
    /// - Returns: nil when nothing is known, such as after a reset.
    /// - Throws: any error of reading the memory.
    package func budget(at baseURL: String, token: TokenFingerprint?) async throws -> StoredBudget? {
        guard let origin = HTTPAddress(baseURL)?.origin else { return nil }
        let ours = try await budgets().filter { budget in
            budget.origin == origin && budget.token == token?.description ?? ""
                && [RateLimitResource.core, RateLimitResource.secondary].contains(budget.resource)
        }
        return ours.min { $0.remaining < $1.remaining }
    }
}

/// The name of the budget that a request uses, as in `X-RateLimit-Resource`.
///
/// The answer states it. Before the answer, the path is enough, because search has its own budgets.
enum RateLimitResource {
    /// The name under which a limit on all requests is kept.
    static let secondary = "secondary"
    /// The budget of most requests.
    static let core = "core"

    static func name(_ request: HTTPRequest) -> String {
        let segments = path(request).split(separator: "/")
        switch segments.first {
        case "search": return segments.dropFirst().first == "code" ? "code_search" : "search"
        case "graphql": return "graphql"
        default: return core
        }
    }

    /// Whether the request asks for the remaining budget, which is free (GitHub's REST API, "Rate limit").
    static func isAboutLimits(_ request: HTTPRequest) -> Bool { path(request) == "/rate_limit" }

    /// The path without the prefix that GitHub Enterprise Server has.
    private static func path(_ request: HTTPRequest) -> Substring {
        let path = (request.path ?? "/").prefix { $0 != "?" }
        return path.hasPrefix("/api/v3/") ? path.dropFirst("/api/v3".count) : path
    }
}
