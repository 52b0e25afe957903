public import PatchbayCore

/// Where the processes that share a storage take their requests from a server's limit, so that together they keep
/// within it.
///
/// A process takes several requests at once, fewer the fewer are left, and gives back what it has not sent.
public struct BudgetLedger: Sendable {
    let settle: @Sendable (StoredBudget.Name, BudgetEntry) async throws -> BudgetGrant?

    init(settle: @escaping @Sendable (StoredBudget.Name, BudgetEntry) async throws -> BudgetGrant?) {
        self.settle = settle
    }

    /// - Parameter store: called for each use; one that several processes may share, with ``StoredBudget/collection``.
    ///   Nil shares nothing.
    public init(store: @escaping @Sendable () async throws -> Store?) {
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

/// What a process tells a ledger, and whether it wants requests.
struct BudgetEntry: Sendable {
    /// What an answer told of the limit.
    enum News: Hashable, Sendable {
        case budget(limit: Int64, remaining: Int64, resetsAt: Timestamp)
        /// The answer reported no limit.
        case unlimited
        /// There was no answer, or one that says nothing about limits because the server failed.
        case nothing
    }

    var news: News?
    /// Requests that were taken in the period that ends then, and not sent.
    var unused: (count: Int64, resetsAt: Timestamp)?
    var wantsRequests = true
    var now: Timestamp
}

/// What a ledger answers.
enum BudgetGrant: Hashable, Sendable {
    /// So many requests until the budget is full again. `isFirst` asks to tell the ledger what the answer reports.
    case requests(Int64, until: Timestamp, isFirst: Bool)
    /// Another process is finding out what the limit is.
    case later
    case usedUp(limit: Int64, until: Timestamp)
    /// The server reports no limit, or no other process shares the storage.
    case unlimited
}

/// A budget as the processes that share it see it: its remaining requests are those that no process has taken.
struct BudgetAccount {
    /// The most requests that a process takes at once.
    static let sliceMax: Int64 = 50
    /// A process takes this part of what is left, so that others find some, too.
    private static let share: Int64 = 16
    /// How long a first request may take to find out a limit, and the length of a period that is not known yet.
    private static let estimate = Duration.seconds(30)
    /// How long a server that reported no limit is taken to have none.
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
            // Requests of a period that is taken to have begun are with other processes, so it stays.
            if row?.prober == ProcessName.current.description { row = nil }
            return
        }
        var new = StoredBudget(
            origin: name.origin, token: name.token, resource: name.resource, limit: limit,
            remaining: remaining, resetsAt: resetsAt)
        // What other processes have taken may not have come to the server yet.
        if let row, row.limit > 0, row.resetsAt > now, row.isEstimate || row.isOfPeriod(resetsAt) {
            new.remaining = min(remaining, row.remaining)
        }
        row = new
    }

    private mutating func takeBack(_ count: Int64, of resetsAt: Timestamp) {
        guard var budget = row, budget.isEstimate || budget.isOfPeriod(resetsAt) else { return }
        budget.remaining = min(budget.limit, budget.remaining + count)
        row = budget
    }

    private mutating func grant(_ now: Timestamp) -> BudgetGrant {
        let later = now.advanced(by: Self.estimate)
        guard var budget = row, budget.limit > 0 || budget.resetsAt > now, !budget.isAbandoned else {
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
    /// Whether the process that was finding out the limit has ended. On another machine that shows only when its time
    /// is over.
    fileprivate var isAbandoned: Bool { prober.flatMap { ProcessName($0) }?.hasEnded == true }

    /// Whether a time of reset belongs to the same period.
    fileprivate func isOfPeriod(_ resetsAt: Timestamp) -> Bool { self.resetsAt.isOfPeriod(resetsAt) }

    /// What one process knows of a budget, beside what is stored of it: the processes have taken more than it knows.
    ///
    /// The stored reset of a period stays. A process that was refused by the ledger knows it rounded up, and the next
    /// one would round it up again.
    func beside(_ stored: StoredBudget?) -> StoredBudget {
        guard let stored, stored.limit > 0 else { return self }
        let isSame = stored.isOfPeriod(resetsAt)
        // A process may know less than the others of a period that has begun.
        if !isSame, stored.resetsAt > resetsAt { return stored }
        guard isSame || stored.isEstimate else { return self }
        var joined = isSame ? stored : self
        joined.remaining = min(remaining, stored.remaining)
        return joined
    }
}

extension Timestamp {
    /// Whether this time of a reset and another one belong to the same period: clocks of machines differ a little.
    func isOfPeriod(_ other: Timestamp) -> Bool { abs(milliseconds - other.milliseconds) < 5_000 }
}
