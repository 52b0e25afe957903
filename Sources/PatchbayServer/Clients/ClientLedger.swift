import PatchbayCore
import PatchbayDomain
import Synchronization

/// The account of what clients use, and their budgets.
///
/// Amounts are added up in memory and written after about a second, in one transaction, so that a read does not become
/// a write. Budgets are for whole hours and days of UTC, so that the stored account restores them after a restart.
final class ClientLedger: Sendable {
    /// What a budget limits.
    enum Kind: Sendable { case requests, bytes }

    /// The time that amounts wait for others to be written with them.
    private static let pause = Duration.seconds(1)
    /// The time for which the account is kept.
    static let keptMax: Int64 = 92 * Allowance.Period.day.length
    /// The maximum number of lines that wait for a storage that cannot be written; further ones are lost.
    private static let waitingMax = 10_000

    private struct Account {
        /// The end of the period that the number belongs to.
        var end: Timestamp
        private(set) var used: Int64 = 0
        var reserved: Int64 = 0

        /// The sum of the used and the reserved amount.
        var taken: Int64 { used.addingClamped(reserved) }

        /// Stored amounts may have any value; a negative one gives nothing back.
        mutating func use(_ amount: Int64) { used = used.addingClamped(max(0, amount)) }
        mutating func release() { reserved = max(0, reserved - 1) }
    }

    private struct State {
        var waiting: [ServedUse.Line: ServedUse.Amounts] = [:]
        var requests: [String: Account] = [:]
        var bytes: [String: Account] = [:]
        /// The task that waits before it writes, and the last one that writes.
        var pause: Task<Void, Never>?
        var writing: Task<Void, Never>?
        var isStopped = false
        /// The hour in which old lines were last deleted.
        var cleaned: Timestamp?
    }

    let clock: LayerClock
    private let store: Store?
    private let clients: [String: ClientOptions]
    private let report: @Sendable (any Error) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - store: a writable store with the collection of ``ServedUse``; nil to keep no account.
    ///   - report: called when amounts cannot be written; they are written with the next ones.
    init(
        _ clients: [ClientOptions], _ store: Store?, clock: LayerClock,
        report: @escaping @Sendable (any Error) -> Void
    ) async throws {
        self.clients = Dictionary(clients.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        self.store = store
        self.clock = clock
        self.report = report
        guard let store else { return }
        let now = clock.now()
        for use in try await ServedUse.all(since: Allowance.Period.day.start(of: now), in: store) {
            state.withLock { count(use.line.client, use.amounts, at: use.line.hour, now: now, &$0) }
        }
    }

    // MARK: Budgets

    /// Why a client may not use more of something now; nil if it may.
    func refusal(of client: String, _ kind: Kind) -> PatchbayError? {
        let now = clock.now()
        guard let allowance = allowance(of: client, kind) else { return nil }
        let account = state.withLock { self.account(of: client, kind, allowance, now, &$0) }
        guard account.taken >= allowance.amount else { return nil }
        return PatchbayError(
            .rateLimited,
            "the client \(client) has used up its \(kind == .bytes ? "bytes" : "requests") (\(allowance)); it may "
                + "continue at \(account.end)", [.retryAt(account.end)])
    }

    /// Reserves a request that is about to be sent.
    ///
    /// - Throws: `rateLimited` when the budget is used up.
    func reserve(_ client: String) throws {
        if let refusal = refusal(of: client, .requests) { throw refusal }
        state.withLock { $0.requests[client]?.reserved += 1 }
    }

    func release(_ client: String) { state.withLock { $0.requests[client]?.release() } }

    /// Adds a request that was sent.
    func sent(_ client: String, isReserved: Bool, _ line: (operation: String, resource: String)) {
        if isReserved { release(client) }
        add(client, line, ServedUse.Amounts(requests: 1))
    }

    /// What is left of the budgets of a client.
    func left(of client: String) -> [(kind: String, allowance: Allowance, left: Int64, resetsAt: Timestamp)] {
        let now = clock.now()
        return [("requests", Kind.requests), ("bytes", .bytes)].compactMap { name, kind in
            guard let allowance = allowance(of: client, kind) else { return nil }
            let account = state.withLock { self.account(of: client, kind, allowance, now, &$0) }
            return (name, allowance, max(0, allowance.amount - account.taken), account.end)
        }
    }

    private func allowance(of client: String, _ kind: Kind) -> Allowance? {
        let options = clients[client]
        return kind == .requests ? options?.requests : options?.bytes
    }

    private func account(
        of client: String, _ kind: Kind, _ allowance: Allowance, _ now: Timestamp, _ state: inout State
    ) -> Account {
        let place = kind == .requests ? \State.requests : \State.bytes
        var account = state[keyPath: place][client] ?? Account(end: allowance.end(at: now))
        // Also when the clock was set back by more than a period.
        if account.end != allowance.end(at: now) {
            account = Account(end: allowance.end(at: now), reserved: account.reserved)
        }
        state[keyPath: place][client] = account
        return account
    }

    /// Adds to the accounts what was used at a time, if that is in their present periods.
    private func count(
        _ client: String, _ amounts: ServedUse.Amounts, at time: Timestamp, now: Timestamp,
        _ state: inout State
    ) {
        for (kind, place, amount) in [
            (Kind.requests, \State.requests, amounts.requests), (.bytes, \State.bytes, amounts.bytes),
        ] {
            guard let allowance = allowance(of: client, kind) else { continue }
            _ = account(of: client, kind, allowance, now, &state)
            if allowance.end(at: time) == allowance.end(at: now) {
                state[keyPath: place][client]?.use(amount)
            }
        }
    }

    // MARK: The account

    func add(
        _ client: String, _ line: (operation: String, resource: String), _ amounts: ServedUse.Amounts
    ) {
        let now = clock.now()
        let line = ServedUse.Line(
            hour: Allowance.Period.hour.start(of: now), client: client, operation: line.operation,
            resource: line.resource)
        state.withLock { state in
            count(client, amounts, at: now, now: now, &state)
            if store == nil { return }
            if state.waiting[line] != nil || state.waiting.count < Self.waitingMax {
                state.waiting[line, default: ServedUse.Amounts()] += amounts
            }
            guard state.pause == nil, !state.isStopped else { return }
            // Outlives the call, and is not a part of it.
            state.pause = Task.detached { [self] in
                // Cancelled when the server stops, which writes at once.
                try? await clock.sleep(Self.pause)
                await write()
            }
        }
    }

    /// Writes what waits. Do not use the ledger afterwards.
    func close() async {
        let pause = state.withLock { state in
            state.isStopped = true
            return state.pause
        }
        pause?.cancel()
        await pause?.value
        await write()
    }

    /// Writes what waits, after earlier writes.
    func write() async {
        let writing = state.withLock { state in
            let earlier = state.writing
            let writing = Task.detached { [self] in
                await earlier?.value
                await writeWaiting()
            }
            state.writing = writing
            return writing
        }
        await writing.value
    }

    /// Writes what waits in one transaction, and deletes lines that are too old once an hour.
    private func writeWaiting() async {
        let hour = Allowance.Period.hour.start(of: clock.now())
        let (waiting, cleans) = state.withLock { state in
            defer { (state.waiting, state.pause) = ([:], nil) }
            guard !state.waiting.isEmpty else { return (state.waiting, false) }
            defer { state.cleaned = hour }
            return (state.waiting, state.cleaned != hour)
        }
        guard let store, !waiting.isEmpty else { return }
        do {
            try await store.write { writing in
                if cleans {
                    try writing.deleteUses(before: Timestamp(milliseconds: hour.milliseconds - Self.keptMax))
                }
                for (line, amounts) in waiting {
                    var use =
                        try writing.reading.get(ServedUse.self, line.key)
                        ?? ServedUse(line: line, amounts: .init())
                    use.amounts += amounts
                    try writing.put(use)
                }
            }
        } catch {
            report(error)
            state.withLock { state in
                for (line, amounts) in waiting { state.waiting[line, default: .init()] += amounts }
            }
        }
    }
}

extension Writing {
    fileprivate mutating func deleteUses(before time: Timestamp) throws {
        let bounds = Bounds.between(nil, .excluding(.integer(time.milliseconds)))
        for use in try reading.list(
            ServedUse.self, Query(ServedUse.collection, bounds, limit: Limits.pageRows))
        {
            try delete(ServedUse.self, use.line.key)
        }
    }
}
