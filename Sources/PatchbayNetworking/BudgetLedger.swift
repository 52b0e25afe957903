package import PatchbayCore

/// The account from which processes that share a storage draw requests, so that together they keep within a server's
/// limit.
///
/// A process takes several requests at once, fewer as the budget runs low, and returns those it has not sent.
package struct BudgetLedger: Sendable {
    let settle: @Sendable (StoredBudget.Name, BudgetEntry) async throws -> BudgetGrant?
    /// Calls a function that uses the ledger. Throws when the ledger takes so long that the function continues alone.
    let soon: @Sendable (@escaping @Sendable () async throws -> BudgetGrant?) async throws -> BudgetGrant?
    /// Whether budgets of a token, given by its fingerprint, are kept.
    let keeps: @Sendable (_ token: String) -> Bool

    init(
        keeps: @escaping @Sendable (String) -> Bool = { _ in true },
        settle: @escaping @Sendable (StoredBudget.Name, BudgetEntry) async throws -> BudgetGrant?
    ) {
        self.settle = settle
        soon = { try await $0() }
        self.keeps = keeps
    }

    /// - Parameters:
    ///   - store: called for each use; returns a store that several processes may share and that has
    ///     ``StoredBudget/collection``, or nil to share nothing.
    ///   - keeps: whether the budgets of a token, given by its fingerprint, are kept. Those of clients would fill the
    ///     store.
    package init(
        store: @escaping @Sendable () async throws -> Store?, keeps: @escaping @Sendable (String) -> Bool
    ) {
        self.keeps = keeps
        soon = { work in
            guard let store = try await store() else { return try await work() }
            return try await store.soon { _ in try await work() }
        }
        settle = { name, entry in
            guard let store = try await store(), store.storage.features.contains(.sharedBetweenProcesses)
            else {
                return .unlimited
            }
            return try await store.write { writing in
                let row = try writing.reading.get(StoredBudget.self, name.key)
                var account = BudgetAccount(name: name, row: row)
                let grant = account.settle(entry)
                guard account.row != row else { return grant }
                if let changed = account.row {
                    try writing.put(changed)
                } else {
                    try writing.delete(StoredBudget.self, name.key)
                }
                return grant
            }
        }
    }
}

/// A report of a process to the ledger, and whether the process wants requests.
struct BudgetEntry: Sendable {
    /// The limit as an answer reported it.
    enum News: Hashable, Sendable {
        case budget(limit: Int64, remaining: Int64, resetsAt: Timestamp)
        /// The answer reported no limit.
        case unlimited
        /// There was no answer, or the server failed and its answer does not mention limits.
        case nothing
    }

    var news: News?
    /// The requests taken but not sent in the period that ends at `resetsAt`.
    var unused: (count: Int64, resetsAt: Timestamp)?
    var wantsRequests = true
    var now: Timestamp
}

/// The ledger's reply to an entry.
enum BudgetGrant: Hashable, Sendable {
    /// The given number of requests until the budget is full again. With `isFirst` the process must report the answer's
    /// limit to the ledger.
    case requests(Int64, until: Timestamp, isFirst: Bool)
    /// Another process is finding out the limit.
    case later
    case usedUp(limit: Int64, until: Timestamp)
    /// The server reports no limit, or no other process shares the storage.
    case unlimited
}

/// A budget as seen by the processes that share it; its remaining requests are those that no process has taken.
struct BudgetAccount {
    /// The maximum number of requests that a process takes at once.
    static let sliceMax: Int64 = 50
    /// A process takes one sixteenth of the remaining requests, so that some are left for others.
    private static let share: Int64 = 16
    /// The time that a first request may take to find out a limit, and the assumed length of an unknown period.
    fileprivate static let estimate = Duration.seconds(30)
    /// The time for which a server that reported no limit is assumed to have none.
    private static let unlimited = Duration.seconds(3_600)

    let name: StoredBudget.Name
    var row: StoredBudget?

    mutating func settle(_ entry: BudgetEntry) -> BudgetGrant? {
        if let news = entry.news { learn(news, entry.now) }
        if let unused = entry.unused { takeBack(unused.count, of: unused.resetsAt) }
        return entry.wantsRequests ? grant(entry.now) : nil
    }

    private mutating func learn(_ news: BudgetEntry.News, _ now: Timestamp) {
        let limit: Int64, remaining: Int64, resetsAt: Timestamp
        switch news {
        case .budget(let reported, let left, let time): (limit, remaining, resetsAt) = (reported, left, time)
        case .unlimited:
            if row?.isEstimate == true { row = estimate(until: now.advanced(by: Self.unlimited)) }
            return
        case .nothing:
            // Other processes hold requests of the assumed period, so the row stays.
            if row?.prober == ProcessName.current.description { row = nil }
            return
        }
        var new = StoredBudget(
            origin: name.origin, token: name.token, resource: name.resource, limit: limit,
            remaining: remaining, resetsAt: resetsAt)
        // Requests that other processes have taken may not have reached the server yet.
        if let row, row.limit > 0, row.resetsAt > now, row.isEstimate || row.resetsAt.isOfPeriod(resetsAt) {
            new.remaining = min(remaining, row.remaining)
        }
        row = new
    }

    private mutating func takeBack(_ count: Int64, of resetsAt: Timestamp) {
        guard var budget = row, budget.isEstimate || budget.resetsAt.isOfPeriod(resetsAt) else { return }
        budget.remaining = min(budget.limit, budget.remaining + count)
        row = budget
    }

    private mutating func grant(_ now: Timestamp) -> BudgetGrant {
        let later = now.advanced(by: Self.estimate)
        guard var budget = row, budget.limit > 0 || budget.resetsAt > now, !budget.isAbandoned,
            !budget.resetsAt.isImpossible(at: now, within: budget.longestPeriod)
        else {
            row = estimate(until: later, prober: ProcessName.current)
            return .requests(1, until: later, isFirst: true)
        }
        if budget.limit == 0 {
            guard budget.isEstimate else { return .usedUp(limit: 0, until: budget.resetsAt) }
            return budget.prober == nil ? .unlimited : .later
        }
        if budget.resetsAt <= now {
            (budget.remaining, budget.resetsAt, budget.isEstimate) = (budget.limit, later, true)
        }
        guard budget.remaining > 0 else { return .usedUp(limit: budget.limit, until: budget.resetsAt) }
        let count = max(1, min(Self.sliceMax, budget.remaining / Self.share))
        budget.remaining -= count
        row = budget
        return .requests(count, until: budget.resetsAt, isFirst: budget.isEstimate)
    }

    /// A row without a limit.
    private func estimate(until: Timestamp, prober: ProcessName? = nil) -> StoredBudget {
        var row = StoredBudget(
            origin: name.origin, token: name.token, resource: name.resource, limit: 0, remaining: 0,
            resetsAt: until)
        row.isEstimate = true
        row.prober = prober?.description
        return row
    }
}

extension StoredBudget {
    /// Whether the process that was finding out the limit has ended. For a process on another machine this is false;
    /// its row expires instead.
    fileprivate var isAbandoned: Bool { prober.map { ProcessName($0)?.hasEnded ?? true } ?? false }

    /// The longest time until the reset that can be true.
    fileprivate var longestPeriod: Duration {
        if prober != nil { return BudgetAccount.estimate + .seconds(60) }
        return isEstimate ? .seconds(2 * 3_600) : RetryAfter.delayMax
    }

    /// Merges what one process knows of a budget with the stored row, because other processes may have taken more
    /// requests.
    ///
    /// The stored reset time of a period stays, because a process that the ledger refused knows the time rounded up,
    /// and the next process would round it up again.
    func beside(_ stored: StoredBudget?) -> StoredBudget {
        guard let stored, stored.limit > 0 else { return self }
        let isSame = stored.resetsAt.isOfPeriod(resetsAt)
        // Other processes may already know of a new period.
        if !isSame, stored.resetsAt > resetsAt { return stored }
        guard isSame || stored.isEstimate else { return self }
        var joined = isSame ? stored : self
        joined.remaining = min(remaining, stored.remaining)
        return joined
    }
}

extension Timestamp {
    /// Whether this reset time and another one belong to the same period. Clocks of machines differ a little.
    func isOfPeriod(_ other: Timestamp) -> Bool { abs(milliseconds - other.milliseconds) < 5_000 }
}
