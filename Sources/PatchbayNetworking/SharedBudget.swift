package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Keeps within a server's limit together with other processes and machines that share a storage.
///
/// Each request is taken from the ledger before it is sent. When the ledger has none left, the request gets the answer
/// that the server would give, status 429 with the time of the reset, so that ``RateLimit`` above waits or fails. A
/// ledger that cannot be written limits nothing.
///
/// Limits in the headers of answers are reported to the ledger: a lower remainder counts at once, and a "not modified"
/// answer is assumed to be free. While one process finds out a limit with its first request, other requests wait, each
/// for up to ``Gate/slowAfter``, and then find it out as well. If that process ends without an answer, another one on
/// the same machine replaces it at once. Requests that a killed process had taken stay unused until the reset.
///
/// Reset times use this machine's clock, so the clocks of machines that share a storage must agree within five seconds.
package final class SharedBudget: NetworkingLayer {
    private static let pauses: (first: Duration, longest: Duration) = (.milliseconds(20), .milliseconds(200))
    /// Servers report resets and their own time in whole seconds, so a period may end this much before the time that
    /// was computed from both. A request sent then would count in the next period, which the ledger grants in full.
    private static let resetMargin = Duration.milliseconds(1_200)

    private let ledger: BudgetLedger
    private let clock: LayerClock
    private let scheme: Authorization.Scheme
    private let accounts = Mutex<[StoredBudget.Name: Account]>([:])

    /// The requests that this process has taken.
    private struct Account {
        /// Admits one caller at a time to the ledger.
        let gate = Gate(limit: 1)
        var count: Int64 = 0
        var until = Timestamp(milliseconds: 0)
        /// When this process first knew of the period that ends at `until`.
        var since = Timestamp(milliseconds: 0)
        var isFirst = false
        /// The lowest remainder of the period that answers have reported since the last report to the ledger.
        var news: BudgetEntry.News?
        /// The server reports no limit.
        var isUnlimited = false

        mutating func take(_ count: Int64, until: Timestamp, isFirst: Bool, now: Timestamp) {
            if !self.until.isOfPeriod(until) { since = now }
            (self.count, self.until, self.isFirst) = (count, until, isFirst)
        }
    }

    private enum Permit {
        case granted(isFirst: Bool)
        case refused(Response)
    }

    /// - Parameter scheme: how requests carry their token.
    package init(_ ledger: BudgetLedger, clock: LayerClock, scheme: Authorization.Scheme = .bearer) {
        self.ledger = ledger
        self.clock = clock
        self.scheme = scheme
    }

    /// Passes the request on when the ledger grants it, keeps no budgets of its token, or cannot be written; otherwise
    /// returns a 429 with the reset. Waits while another process finds out the limit, and for a reset that is at most
    /// 1.2 seconds away.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        let name = StoredBudget.Name(request, resource: RateLimitResource.name(request), sentAs: scheme)
        guard !RateLimitResource.isAboutLimits(request), ledger.keeps(name.token) else {
            return try await next.send(request, body: body)
        }
        switch try await Stopwatch.pausing({ try await permit(name) }) {
        case .refused(let refusal): return refusal
        case .granted(let isFirst):
            do {
                let response = try await next.send(request, body: body)
                await learn(response, name, isFirst: isFirst)
                return response
            } catch {
                if isFirst { await report(.nothing, name) }
                throw error
            }
        }
    }

    /// Returns unsent requests to the ledger. Call it at the end of a run.
    package func release() async {
        for (name, account) in accounts.withLock({ $0 }) where account.count > 0 || account.news != nil {
            var entry = BudgetEntry(news: account.news, wantsRequests: false, now: clock.now())
            if account.count > 0 { entry.unused = (account.count, account.until) }
            accounts.withLock { $0[name]?.count = 0 }
            // Requests that cannot be returned are available again in the next period.
            _ = try? await ledger.settle(name, entry)
        }
    }

    private func permit(_ name: StoredBudget.Name) async throws -> Permit {
        var pause = Self.pauses.first
        let beganAt = clock.uptime()
        while true {
            if let pause = pauseBeforeReset(name) {
                try await clock.sleep(pause)
                continue
            }
            if let permit = taken(name) { return permit }
            let gate = gate(name)
            let place = try await gate.enter()
            let grant = await settle(name)
            gate.leave(place)
            switch grant {
            case .requests?: continue
            case .unlimited?, nil: return .granted(isFirst: false)
            case .usedUp(let limit, let until)?: return .refused(Self.refusal(limit, until))
            // A server that is silent about one request may answer this one, which then finds out the limit.
            case .later? where clock.uptime() - beganAt >= Gate.slowAfter: return .granted(isFirst: true)
            case .later?:
                try await clock.sleep(pause)
                pause = min(pause * 2, Self.pauses.longest)
            }
        }
    }

    private func gate(_ name: StoredBudget.Name) -> Gate {
        accounts.withLock { accounts in
            let account = accounts[name] ?? Account()
            accounts[name] = account
            return account.gate
        }
    }

    /// Returns the time until a reset that is so near that a request may reach the server after it; nil otherwise.
    private func pauseBeforeReset(_ name: StoredBudget.Name) -> Duration? {
        let now = clock.now()
        return accounts.withLock { accounts in
            guard let account = accounts[name], account.count > 0, account.until > now else { return nil }
            // A short period loses at most an eighth of its time.
            let margin = min(Self.resetMargin, account.since.age(at: account.until) / 8)
            let left = now.age(at: account.until)
            return left < margin ? left : nil
        }
    }

    /// Takes one of the requests that this process holds.
    private func taken(_ name: StoredBudget.Name) -> Permit? {
        let now = clock.now()
        return accounts.withLock { accounts in
            guard var account = accounts[name] else { return nil }
            if account.isUnlimited { return .granted(isFirst: false) }
            guard account.count > 0, account.until > now else { return nil }
            account.count -= 1
            defer { accounts[name] = account }
            let isFirst = account.isFirst
            account.isFirst = false
            return .granted(isFirst: isFirst)
        }
    }

    /// Takes requests from the ledger; nil when it cannot be written.
    private func settle(_ name: StoredBudget.Name) async -> BudgetGrant? {
        let now = clock.now()
        let (hasSome, news) = accounts.withLock { accounts in
            let account = accounts[name] ?? Account()
            defer { accounts[name]?.news = nil }
            return (account.isUnlimited || account.count > 0 && account.until > now, account.news)
        }
        // The previous caller has taken enough requests for this one, too.
        if hasSome { return .requests(0, until: now, isFirst: false) }
        do {
            return try await ledger.soon { [self] in
                let grant = try await ledger.settle(name, BudgetEntry(news: news, now: now))
                // Requests that arrive late are for the next callers.
                take(grant, name, now)
                return grant
            }
        } catch {
            // A storage that cannot be written keeps no budget, but the request may still be sent.
            accounts.withLock { accounts in
                if accounts[name]?.news == nil { accounts[name]?.news = news }
            }
            return nil
        }
    }

    private func take(_ grant: BudgetGrant?, _ name: StoredBudget.Name, _ now: Timestamp) {
        accounts.withLock { accounts in
            switch grant {
            case .requests(let count, let until, let isFirst)?:
                accounts[name]?.take(count, until: until, isFirst: isFirst, now: now)
            case .unlimited?: accounts[name]?.isUnlimited = true
            case .later?, .usedUp?, nil: break
            }
        }
    }

    /// Learns the limit that an answer reports.
    private func learn(_ response: Response, _ name: StoredBudget.Name, isFirst: Bool) async {
        let news = news(response, name), now = clock.now()
        let isUrgent = accounts.withLock { accounts in
            guard var account = accounts[name] else { return false }
            defer { accounts[name] = account }
            if response.head.status.code == 304 { account.count += 1 }
            guard case .budget(_, let remaining, let resetsAt) = news else {
                if isFirst { account.isUnlimited = true }
                return isFirst
            }
            // The first report of a server that had reported no limit.
            let isNew = account.isUnlimited
            account.isUnlimited = false
            account.count = isNew ? 0 : min(account.count, remaining)
            // The end of a period that was estimated when it began.
            if resetsAt > now, resetsAt < account.until { account.until = resetsAt }
            account.news = news.lower(than: account.news)
            return isFirst || isNew || remaining == 0
        }
        if isUrgent { await report(news, name) }
    }

    private func report(_ news: BudgetEntry.News, _ name: StoredBudget.Name) async {
        accounts.withLock { $0[name]?.news = nil }
        let entry = BudgetEntry(news: news, wantsRequests: false, now: clock.now())
        // A report that fails is replaced by the one of the next answer.
        _ = try? await ledger.soon { [ledger] in try await ledger.settle(name, entry) }
    }

    private func news(_ response: Response, _ name: StoredBudget.Name) -> BudgetEntry.News {
        let fields = response.head.headerFields, report = RateLimitReport(fields)
        if let resource = fields[.rateLimitResource], resource != name.resource { return .nothing }
        guard let remaining = report.remaining, let reset = report.reset else {
            return response.head.status.kind == .successful ? .unlimited : .nothing
        }
        let delay = reset.delay(from: fields, now: clock.now())
        return .budget(
            limit: max(report.limit ?? 0, remaining, 1), remaining: remaining,
            resetsAt: clock.now().advanced(by: delay))
    }

    private static func refusal(_ limit: Int64, _ until: Timestamp) -> Response {
        var head = HTTPResponse(status: .tooManyRequests)
        head.headerFields[HTTPField.Name("X-RateLimit-Limit")!] = String(limit)
        head.headerFields[HTTPField.Name("X-RateLimit-Remaining")!] = "0"
        head.headerFields[HTTPField.Name("X-RateLimit-Reset")!] = String((until.milliseconds + 999) / 1_000)
        return Response(head: head, body: [])
    }
}

extension BudgetEntry.News {
    /// Returns the report with the lower remainder if both are of one period, and otherwise the newer one.
    fileprivate func lower(than other: BudgetEntry.News?) -> BudgetEntry.News {
        guard case .budget(_, let remaining, let resetsAt) = self,
            case .budget(_, let known, let knownReset)? = other,
            resetsAt.isOfPeriod(knownReset)
        else { return self }
        return remaining <= known ? self : other ?? self
    }
}
