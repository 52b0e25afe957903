import PatchbayCore
import Synchronization

/// A call of a client while it is answered: its description for the account, and its use so far.
final class ServedCall: Sendable {
    /// The call that the current task answers; nil for the work of the process itself.
    @TaskLocal static var current: ServedCall?

    private struct State {
        var operation: String?
        var resource: String?
        /// Whether operations that the call is made of are not noted, because it is a call of a tool.
        var isTool = false
        var isFailure = false
        /// Whether the client's budget was used up before the call.
        var isRefused = false
        var rows: Int64 = 0
        /// The number of requests that were sent.
        var requests = 0
        /// The number of requests in the layers of sources that have not been sent yet.
        var reserved = 0
    }

    let client: String
    private let ledger: ClientLedger
    private let startedAt: Duration
    private let state = Mutex(State())

    init(_ client: String, _ ledger: ClientLedger) {
        self.client = client
        self.ledger = ledger
        startedAt = ledger.clock.uptime()
    }

    // MARK: Its description

    /// Notes the operation; only the first one counts.
    func note(operation: String) { state.withLock { $0.operation = $0.operation ?? operation } }

    /// Notes a tool, whose operations inside the process are parts of the same call.
    func note(tool: String) {
        state.withLock { state in
            state.operation = "mcp." + tool
            state.isTool = true
        }
    }

    /// Notes a resource that exists, by its name; only the first one counts.
    func note(resource: String) { state.withLock { $0.resource = $0.resource ?? resource } }

    /// Notes rows of the answer.
    func add(rows: Int) { state.withLock { if !$0.isTool { $0.rows += Int64(rows) } } }

    /// Notes rows of the answer of a tool, which are a part of those that its operations read.
    func add(toolRows: Int) { state.withLock { $0.rows += Int64(toolRows) } }

    /// Notes that the call failed, although its answer can be sent.
    func noteFailure() { state.withLock { $0.isFailure = true } }

    private var line: (operation: String, resource: String) {
        state.withLock { ($0.operation ?? "other", $0.resource ?? "") }
    }

    // MARK: Its use

    /// Refuses the call of a client that has used up its bytes. The answer to a refused call uses none.
    ///
    /// - Throws: `rateLimited`.
    func requireBytes() throws(PatchbayError) {
        guard let refusal = ledger.refusal(of: client, .bytes) else { return }
        state.withLock { $0.isRefused = true }
        throw refusal
    }

    /// What is left of the client's budgets.
    var left: [(kind: String, allowance: Allowance, left: Int64, resetsAt: Timestamp)] {
        ledger.left(of: client)
    }

    /// Counts the requests of the call, including those that follow its answer.
    var meter: RequestMeter {
        RequestMeter(
            begin: { [self] in
                try ledger.reserve(client)
                state.withLock { $0.reserved += 1 }
            },
            sent: { [self] in
                state.withLock { $0.requests += 1 }
                ledger.sent(client, isReserved: takeReservation(), line)
            },
            end: { [self] in if takeReservation() { ledger.release(client) } })
    }

    /// The number of requests that the call has sent to sources so far.
    var requestsSent: Int { state.withLock { $0.requests } }

    private func takeReservation() -> Bool {
        state.withLock { state in
            guard state.reserved > 0 else { return false }
            state.reserved -= 1
            return true
        }
    }

    /// Adds a part of a streamed body.
    ///
    /// - Throws: `rateLimited` when the client's budget is used up.
    func add(streamed bytes: Int) throws {
        if let refusal = ledger.refusal(of: client, .bytes) { throw refusal }
        add(bytes: bytes)
    }

    /// Adds a part of an answer.
    func add(bytes: Int) {
        ledger.add(client, line, ServedUse.Amounts(rows: takeRows(), bytes: Int64(bytes)))
    }

    /// The rows that were noted since the last time.
    private func takeRows() -> Int64 {
        state.withLock { state in
            defer { state.rows = 0 }
            return state.rows
        }
    }

    /// Adds the call itself when its answer is known.
    func answered(bytes: Int, isFailure: Bool) {
        let (isRefused, hasFailed) = state.withLock { ($0.isRefused, $0.isFailure) }
        let milliseconds = (ledger.clock.uptime() - startedAt) / .milliseconds(1)
        ledger.add(
            client, line,
            ServedUse.Amounts(
                calls: 1, failures: isFailure || hasFailed ? 1 : 0, rows: takeRows(),
                bytes: isRefused ? 0 : Int64(bytes),
                milliseconds: Int64(milliseconds.rounded())))
    }
}

extension ServedCall: WorkContext {
    func running<Result>(_ body: () -> Result) -> Result {
        Self.$current.withValue(self) { RequestMeter.$current.withValue(meter, operation: body) }
    }

    func running<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        try await Self.$current.withValue(self) {
            try await RequestMeter.$current.withValue(meter) { try await body() }
        }
    }
}
