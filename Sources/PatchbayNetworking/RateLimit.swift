package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Keeps within the limits that the server's headers report under any of their common names: `Retry-After`, and the
/// requests that remain until a reset.
///
/// - Each token has its own budgets at each origin, one per resource (`core`, `search`). A used-up budget is full again
///   a second after its reset. The time until then counts from the answer's `Date`, so this machine's clock does not
///   matter.
/// - The secondary limit applies to all requests with the token to the origin. It lasts for `Retry-After`, otherwise
///   until the reset, otherwise a minute, doubled each time.
/// - An answer may ask for a wait in its body, or refuse there, with any status. The wait applies to all later requests
///   like a secondary limit, and a request that was refused is sent again.
/// - A request waits up to ``Options/waitAtMost``. One that would wait longer is not sent and fails with `rateLimited`,
///   which states when to try again.
/// - A limited number of requests is sent at a time, in order of arrival: one without a token, and never more than the
///   budget has left. A request without a token that has had no answer for ``Gate/slowAfter`` does not delay the next
///   one; with those, the number is that of requests with a token.
/// - A ``BudgetMemory`` passes known budgets on to the next run.
///
/// The layer is below ``Retry`` and ``Redirects``, so each attempt and each hop counts, and below ``Authorization``,
/// whose token distinguishes the budgets.
package final class RateLimit: NetworkingLayer {
    /// Limits on requests and waits.
    package struct Options: Sendable {
        /// The maximum number of concurrent requests with a token, 1 to 100; GitHub refuses more.
        package var concurrency = 4
        /// The maximum total time that one request waits for limits.
        package var waitAtMost = Duration.seconds(60)

        /// Creates the default limits.
        package init() {}
    }

    /// Whether requests of the task wait for a limit to open, up to ``Options/waitAtMost``. Others fail at once, and
    /// the wait for their turn counts as part of their ``Deadline``. A server answers its clients in this way.
    @TaskLocal package static var waits = true

    /// The number of refusals after which a request fails.
    static let refusalsMax = 4
    /// The interval at which budgets are saved while none is used up.
    private static let saveInterval = Duration.seconds(30)
    /// The number of pairs of origin and token above which idle queues are dropped.
    private static let gatesMax = 64

    private let options: Options
    private let clock: LayerClock
    private let memory: BudgetMemory?
    private let log: RequestLog?
    private let scheme: Authorization.Scheme
    private let waiting: (@Sendable (RateLimitWait) -> Void)?
    private let bodyLimit: (@Sendable (Response) -> BodyLimit)?
    private let state = Mutex(State())

    private struct State {
        var budgets = RateBudgets()
        var gates: [RateBudgets.Name: Gate] = [:]
        var loading: Task<Void, any Error>?
        var savedAt: Duration?
    }

    /// - Parameters:
    ///   - scheme: how requests carry their token.
    ///   - waiting: called on the sender's thread when a wait for a limit begins.
    ///   - bodyLimit: returns what an answer's body states about limits.
    package init(
        _ options: Options = Options(), clock: LayerClock, memory: BudgetMemory? = nil,
        log: RequestLog? = nil, scheme: Authorization.Scheme = .bearer,
        waiting: (@Sendable (RateLimitWait) -> Void)? = nil,
        bodyLimit: (@Sendable (Response) -> BodyLimit)? = nil
    ) {
        precondition((1...100).contains(options.concurrency), "the concurrency must be 1 to 100")
        precondition(options.waitAtMost >= .zero, "waitAtMost must not be negative")
        self.options = options
        self.clock = clock
        self.memory = memory
        self.log = log
        self.scheme = scheme
        self.waiting = waiting
        self.bodyLimit = bodyLimit
    }

    /// - Throws: `rateLimited` when a limit would make the request wait too long, with the duration and the time of
    ///   day; any error of reading the memory.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        try await load()
        let name = name(request)
        let gate = gate(name)
        var patience = Self.waits ? options.waitAtMost : .zero
        var obstacle: RateBudgets.Obstacle?
        var refusals = 0
        while true {
            let place = try await Stopwatch.pausing {
                try await enter(gate, request, name, after: obstacle, &patience)
            }
            let response: Response
            do {
                response = try await next.send(request, body: body)
            } catch {
                gate.leave(place)
                throw error
            }
            let inBody = bodyLimit?(response)
            obstacle = learn(response, inBody, name, gate)
            gate.leave(place)
            await save(isUrgent: obstacle != nil || inBody?.wait != nil || response.usedUpBudget)
            guard let obstacle else { return response }
            refusals += 1
            guard refusals < Self.refusalsMax else { throw refusal(request, obstacle) }
        }
    }

    /// Returns a layer that applies the same budgets to forwarded requests. It never waits, passes refusals on
    /// unchanged, and does not limit concurrency, which is up to the clients.
    package func passing() -> any NetworkingLayer { Passing(limit: self) }

    private struct Passing: NetworkingLayer {
        let limit: RateLimit

        func send(
            _ request: HTTPRequest, body: [UInt8], next: any Networking
        ) async throws -> Response {
            // Budgets that cannot be read are unknown, which the server itself corrects.
            try? await limit.load()
            let name = limit.name(request)
            if let obstacle = limit.current(name, request) {
                limit.log?.count { $0.refused += 1 }
                throw limit.refusal(request, obstacle)
            }
            let response = try await next.send(request, body: body)
            let inBody = limit.bodyLimit?(response)
            let obstacle = limit.learn(response, inBody, name, limit.gate(name))
            await limit.save(isUrgent: obstacle != nil || inBody?.wait != nil || response.usedUpBudget)
            return response
        }
    }

    private func name(_ request: HTTPRequest) -> RateBudgets.Name {
        RateBudgets.Name(request, resource: RateLimitResource.name(request), sentAs: scheme)
    }

    /// Waits until no limit forbids the request, then enters the gate.
    private func enter(
        _ gate: Gate, _ request: HTTPRequest, _ name: RateBudgets.Name, after refusal: RateBudgets.Obstacle?,
        _ patience: inout Duration
    ) async throws -> Gate.Place {
        var known = refusal
        while true {
            let uptime = clock.uptime()
            if let obstacle = known.flatMap({ $0.opensAt > uptime ? $0 : nil }) {
                try await wait(obstacle, request, &patience)
            }
            known = current(name, request)
            if known != nil { continue }
            let place = try await gate.enter()
            // Requests ahead in the queue may have used up the budget.
            known = current(name, request)
            if known == nil { return place }
            gate.leave(place)
        }
    }

    private func current(_ name: RateBudgets.Name, _ request: HTTPRequest) -> RateBudgets.Obstacle? {
        let scope = RateLimitResource.isAboutLimits(request) ? name.secondary : name
        return state.withLock { $0.budgets.obstacle(for: scope, at: clock.uptime()) }
    }

    private func wait(
        _ obstacle: RateBudgets.Obstacle, _ request: HTTPRequest, _ patience: inout Duration
    ) async throws {
        let wait = obstacle.opensAt - clock.uptime()
        guard wait <= patience else {
            log?.count { $0.refused += 1 }
            throw refusal(request, obstacle)
        }
        patience -= wait
        log?.count {
            $0.waited += 1
            $0.waitedTime += wait
        }
        waiting?(RateLimitWait(server: HTTPAddress(of: request).authority, duration: wait))
        try await clock.sleep(wait)
    }

    private func learn(
        _ response: Response, _ inBody: BodyLimit?, _ name: RateBudgets.Name, _ gate: Gate
    ) -> RateBudgets.Obstacle? {
        let moment = RateBudgets.Moment(clock)
        return state.withLock { state in
            let obstacle = state.budgets.learn(response, inBody: inBody, for: name, at: moment)
            let remaining = state.budgets.remaining(of: name, at: moment.uptime) ?? .max
            let left = max(1, Int(clamping: remaining))
            gate.allow(min(concurrency(name), left), most: min(options.concurrency, left))
            return obstacle
        }
    }

    private func concurrency(_ name: RateBudgets.Name) -> Int { name.token.isEmpty ? 1 : options.concurrency }

    /// Returns the queue of a token at an origin.
    private func gate(_ name: RateBudgets.Name) -> Gate {
        state.withLock { state in
            if let gate = state.gates[name.secondary] { return gate }
            if state.gates.count >= Self.gatesMax { state.gates = state.gates.filter { !$0.value.isIdle } }
            let gate = Gate(limit: concurrency(name), most: options.concurrency, clock: clock)
            state.gates[name.secondary] = gate
            return gate
        }
    }

    private func refusal(_ request: HTTPRequest, _ obstacle: RateBudgets.Obstacle) -> PatchbayError {
        let address = HTTPAddress(of: request)
        let wait = max(.zero, obstacle.opensAt - clock.uptime())
        let opensAt = clock.now().advanced(by: wait)
        let limit =
            obstacle.isSecondary
            ? "the rate limit of \(address.authority) was exceeded"
            : "the rate limit of \(address.authority) is used up"
        let hint =
            scheme.fingerprint(of: request) == nil && !obstacle.isSecondary
            ? "; a token may have a higher limit" : ""
        return PatchbayError(
            .rateLimited, "\(limit); try again in \(wait.words), at \(opensAt)\(hint)",
            [.url(SecretFilter().cleaned(address.text)), .retryAt(opensAt)])
    }
}

// MARK: - Between runs

extension RateLimit {
    /// Returns the known budgets that are not full, including those of the last run.
    ///
    /// - Throws: any error of reading the memory.
    package func budgets() async throws -> [StoredBudget] {
        try await load()
        return state.withLock { $0.budgets.stored(at: clock.uptime()) }
    }

    /// Saves the known budgets regardless of the interval. Call it at the end of a run.
    package func save() async { await save(isUrgent: true) }

    /// Reads the budgets of the last run once; concurrent first callers wait for the same reading. While the memory
    /// takes too long, requests are sent without it.
    private func load() async throws {
        guard let memory else { return }
        let loading = state.withLock { state in
            if let loading = state.loading { return loading }
            let loading = Task {
                do {
                    let stored = try await memory.load()
                    let moment = RateBudgets.Moment(clock)
                    self.state.withLock { $0.budgets.take(stored, at: moment) }
                } catch {
                    self.state.withLock { $0.loading = nil }
                    throw error
                }
            }
            state.loading = loading
            return loading
        }
        do { try await loading.value } catch is StorageDelay {}
    }

    /// A failure to save does not fail the request. It is counted, and saving is tried again after the next answer.
    private func save(isUrgent: Bool) async {
        guard let memory else { return }
        let uptime = clock.uptime()
        let budgets = state.withLock { state -> [StoredBudget] in
            if !isUrgent, let savedAt = state.savedAt, uptime - savedAt < Self.saveInterval { return [] }
            state.savedAt = uptime
            return state.budgets.stored(at: uptime)
        }
        guard !budgets.isEmpty else { return }
        do {
            try await memory.save(budgets)
        } catch {
            state.withLock { $0.savedAt = nil }
            log?.count { $0.unsavedBudgets += 1 }
        }
    }
}

extension Response {
    fileprivate var usedUpBudget: Bool { RateLimitReport(head.headerFields).remaining == 0 }
}
