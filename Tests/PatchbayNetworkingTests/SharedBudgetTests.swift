import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayNetworking

@Suite("A budget shared by processes")
struct SharedBudgetTests {
    private let clock = ManualClock(Timestamp("2026-10-01T09:00:00Z")!, jumps: true)

    /// A ledger over one row, as a storage keeps it.
    private final class Rows: Sendable {
        let rows = Mutex<[StoredBudget.Name: StoredBudget]>([:])
        let settlements = Mutex(0)

        var ledger: BudgetLedger {
            BudgetLedger { name, entry in
                self.settlements.withLock { $0 += 1 }
                return self.rows.withLock { rows in
                    var account = BudgetAccount(name: name, row: rows[name])
                    defer { rows[name] = account.row }
                    return account.settle(entry)
                }
            }
        }

        var remaining: [Int64] { rows.withLock { $0.values.map(\.remaining) } }
    }

    /// A server that counts requests and refuses those above the limit.
    private final class Server: Networking {
        let limit: Int64
        let period: Int64
        let clock: ManualClock
        let counts = Mutex<[Int64: Int64]>([:])
        let refused = Mutex(0)
        let isOffline = Mutex(false)

        init(limit: Int64, period: Int64, clock: ManualClock) {
            (self.limit, self.period, self.clock) = (limit, period, clock)
        }

        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
            await Task.yield()
            if isOffline.withLock({ $0 }) { throw PatchbayError(.offline, "no network") }
            let window = clock.now().milliseconds / 1_000 / period
            let count = counts.withLock { counts in
                counts[window, default: 0] += 1
                return counts[window]!
            }
            if count > limit { refused.withLock { $0 += 1 } }
            return .status(
                count > limit ? 429 : 200,
                [
                    "X-RateLimit-Limit": "\(limit)", "X-RateLimit-Remaining": "\(max(0, limit - count))",
                    "X-RateLimit-Reset": "\((window + 1) * period)",
                ])
        }
    }

    private func process(
        _ network: any Networking, _ rows: Rows, clock: LayerClock? = nil
    ) -> (any Networking, SharedBudget) {
        let shared = SharedBudget(rows.ledger, clock: clock ?? self.clock.layerClock)
        return (network.layered(shared), shared)
    }

    @Test("tokens of which no budgets are kept do not reach the ledger")
    func otherTokens() async throws {
        let rows = Rows(), server = Server(limit: 60, period: 3_600, clock: clock)
        let own = TokenFingerprint("own").description
        let ledger = BudgetLedger(keeps: { $0 == own }, settle: rows.ledger.settle)
        let networking = server.layered(SharedBudget(ledger, clock: clock.layerClock))
        for token in ["own", "stranger-1", "stranger-2"] {
            let request = HTTPRequest.get("/users", token: token)
            #expect(try await networking.send(request, body: []).head.status == .ok)
        }
        #expect(rows.rows.withLock { $0.keys.map(\.token) } == [own])
    }

    @Test("eight processes send exactly as many requests as the limit allows, and none is refused")
    func eight() async throws {
        let rows = Rows(), server = Server(limit: 60, period: 3_600, clock: clock)
        // Waiting processes let the others continue, and no time passes.
        let still = LayerClock(now: clock.now, uptime: clock.layerClock.uptime) { _ in
            await Task.yield()
            try Task.checkCancellation()
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 1...8 {
                group.addTask {
                    let (network, _) = process(server, rows, clock: still)
                    var count = 0
                    while try await network.get("/users").head.status.code == 200 { count += 1 }
                    return count
                }
            }
            var sum = 0
            for try await count in group { sum += count }
            #expect(sum == 60)
        }
        #expect(server.refused.withLock { $0 } == 0)
        #expect(server.counts.withLock { $0 } == [server.counts.withLock { $0.keys.first! }: 60])
    }

    @Test("a new period starts with the full limit")
    func nextPeriod() async throws {
        let rows = Rows(), server = Server(limit: 10, period: 600, clock: clock)
        let (network, _) = process(server, rows)
        for _ in 1...10 { #expect(try await network.get("/users").head.status.code == 200) }
        #expect(try await network.get("/users").head.status.code == 429)
        clock.advance(by: .seconds(601))
        for _ in 1...10 { #expect(try await network.get("/users").head.status.code == 200) }
        #expect(try await network.get("/users").head.status.code == 429)
        #expect(server.refused.withLock { $0 } == 0)
    }

    @Test("a request is not sent just before a reset, because it may count in the next period")
    func beforeReset() async throws {
        // The server is 700 ms ahead of what its answers say in whole seconds, so its periods end that much earlier.
        let rows = Rows(), clock = clock, times = Mutex<[Int64]>([])
        let start = clock.now().milliseconds / 1_000
        let network = ScriptedNetworking { _, _, _ in
            let seconds = (clock.now().milliseconds + 700) / 1_000
            times.withLock { $0.append(clock.now().milliseconds - start * 1_000) }
            return .status(
                200,
                [
                    "Date": Timestamp(milliseconds: seconds * 1_000).httpDate,
                    "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "50",
                    "X-RateLimit-Reset": "\(start + 600 + (seconds >= start + 600 ? 600 : 0))",
                ])
        }
        let (networking, _) = process(network, rows)
        for _ in 1...2 { _ = try await networking.get("/users") }
        clock.advance(by: .milliseconds(599_400))
        _ = try await networking.get("/users")
        #expect(times.withLock { $0 }.last! >= 600_000)
    }

    @Test("processes take many requests while many are left, and return unsent ones")
    func slices() async throws {
        let rows = Rows(), server = Server(limit: 5_000, period: 3_600, clock: clock)
        let (network, shared) = process(server, rows)
        for _ in 1...200 { _ = try await network.get("/users") }
        #expect(rows.settlements.withLock { $0 } < 12)
        await shared.release()
        #expect(rows.remaining == [4_800])
    }

    @Test("other users of the limit are noticed from the reports in answers")
    func others() async throws {
        let rows = Rows()
        let reset = String(clock.now().milliseconds / 1_000 + 600)
        let network = ScriptedNetworking { _, _, number in
            .status(
                200,
                [
                    "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": number < 3 ? "\(59 - number)" : "0",
                    "X-RateLimit-Reset": reset,
                ])
        }
        let (networking, _) = process(network, rows)
        for _ in 1...4 { _ = try await networking.get("/users") }
        let refused = try await networking.get("/users")
        #expect(refused.head.status.code == 429 && network.sent.count == 4)
        #expect(refused.head.headerFields[HTTPField.Name("X-RateLimit-Reset")!] == reset)
    }

    @Test("a 304 is free")
    func notModified() async throws {
        let rows = Rows()
        let reset = String(clock.now().milliseconds / 1_000 + 600)
        let network = ScriptedNetworking { _, _, number in
            .status(
                number == 0 ? 200 : 304,
                [
                    "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "59",
                    "X-RateLimit-Reset": reset,
                ])
        }
        let (networking, shared) = process(network, rows)
        for _ in 1...100 { _ = try await networking.get("/users") }
        #expect(network.sent.count == 100)
        await shared.release()
        #expect(rows.remaining == [59])
    }

    @Test("one request finds out that a server has no limits, and then no process waits for an hour")
    func unlimited() async throws {
        let rows = Rows()
        let (networking, _) = process(ScriptedNetworking(.status(200)), rows)
        for _ in 1...5 { _ = try await networking.get("/users") }
        #expect(rows.settlements.withLock { $0 } == 2)
        let (other, _) = process(ScriptedNetworking(.status(200)), rows)
        for _ in 1...5 { _ = try await other.get("/users") }
        #expect(rows.settlements.withLock { $0 } == 3)
        clock.advance(by: .seconds(3_601))
        let (late, _) = process(ScriptedNetworking(.status(200)), rows)
        _ = try await late.get("/users")
        #expect(rows.settlements.withLock { $0 } == 5)
    }

    @Test("a first request without an answer delays others by a second")
    func silentFirst() async throws {
        let held = HeldNetwork(), (network, _) = process(held, Rows()), start = clock.now()
        let first = Task.immediate { try await network.get("/silent") }
        await held.hasSent(1)
        let second = Task { try await network.get("/users") }
        await held.hasSent(2)
        #expect((1_000..<1_400).contains(clock.now().milliseconds - start.milliseconds))
        held.answerLast()
        #expect(try await second.value.head.status.code == 200)
        // Its answer shows that the server reports no limit.
        let third = Task { try await network.get("/users") }
        await held.hasSent(3)
        held.answerLast()
        held.answerFirst()
        _ = try await (first.value, third.value)
        #expect(clock.now().milliseconds - start.milliseconds < 1_400)
    }

    @Test("a limit is respected as soon as a server starts to report it")
    func laterLimit() async throws {
        let rows = Rows(), server = Server(limit: 10, period: 3_600, clock: clock)
        let (first, _) = process(ScriptedNetworking(.status(200)), rows)
        _ = try await first.get("/users")
        let processes = (1...3).map { _ in process(server, rows).0 }
        var codes: [Int] = []
        for network in processes + processes + processes + processes {
            codes.append(try await network.get("/users").head.status.code)
        }
        #expect(codes == Array(repeating: 200, count: 10) + [429, 429])
        #expect(server.refused.withLock { $0 } == 0)
    }

    @Test("a failed first request leaves no row", arguments: [nil, 502])
    func failing(_ status: Int?) async throws {
        let rows = Rows()
        let failing = ScriptedNetworking { _, _, _ in
            guard let status else { throw PatchbayError(.offline, "no network") }
            return .status(status)
        }
        let (broken, _) = process(failing, rows)
        _ = try? await broken.get("/users")  // The answer does not matter here.
        #expect(failing.sent.count == 1 && rows.remaining.isEmpty)
    }

    @Test("a failed request in a new period does not free the requests of other processes")
    func failureInNewPeriod() async throws {
        let rows = Rows(), server = Server(limit: 60, period: 3_600, clock: clock)
        let (one, _) = process(server, rows), (other, _) = process(server, rows)
        _ = try await one.get("/users")
        clock.advance(by: .seconds(3_601))
        _ = try await other.get("/users")
        let taken = rows.remaining
        server.isOffline.withLock { $0 = true }
        await #expect(throws: PatchbayError.self) { try await other.get("/users") }
        #expect(rows.remaining == taken)
    }

    @Test(
        "a process that dies while finding out the limit is replaced at once, on another machine after a second"
    )
    func death() async throws {
        let me = ProcessName.current.description.split(separator: " ")
        for (prober, pause) in [("\(me[0]) \(me[1]) 4194305 1", 0), ("another-machine 1 1 1", 1)] {
            let rows = Rows(), server = Server(limit: 60, period: 3_600, clock: clock)
            let name = StoredBudget.Name(.get("/users"), resource: "core")
            _ = try await rows.ledger.settle(name, BudgetEntry(now: clock.now()))
            rows.rows.withLock { $0[name]?.prober = prober }
            let start = clock.layerClock.uptime()
            let (network, _) = process(server, rows)
            #expect(try await network.get("/users").head.status.code == 200)
            let waited = clock.layerClock.uptime() - start
            #expect(waited >= .seconds(pause) && waited < .seconds(pause + 1))
            #expect(rows.rows.withLock { $0[name]?.prober } == nil)
        }
    }

    @Test("the knowledge of one process changes neither the reset nor a newer period")
    func beside() {
        func budget(_ remaining: Int64, _ milliseconds: Int64) -> StoredBudget {
            StoredBudget(
                origin: "https://api.example.org", token: "", resource: "core", limit: 60,
                remaining: remaining,
                resetsAt: clock.now().advanced(by: .milliseconds(milliseconds)))
        }
        #expect(budget(0, 15_999).beside(budget(0, 15_000)) == budget(0, 15_000))
        #expect(budget(7, 15_999).beside(budget(9, 15_000)) == budget(7, 15_000))
        #expect(budget(0, 15_000).beside(budget(57, 30_000)) == budget(57, 30_000))
        #expect(budget(50, 60_000).beside(budget(0, 15_000)) == budget(50, 60_000))
        var estimate = budget(40, 30_000)
        estimate.isEstimate = true
        #expect(budget(50, 60_000).beside(estimate) == budget(40, 60_000))
        #expect(budget(50, 60_000).beside(nil) == budget(50, 60_000))
    }

    @Test("a ledger that cannot be written limits nothing")
    func unwritable() async throws {
        let ledger = BudgetLedger { _, _ in throw PatchbayError(.permissionDenied, "the disk is read-only") }
        let network = ScriptedNetworking(.status(200))
        let networking = network.layered(SharedBudget(ledger, clock: clock.layerClock))
        _ = try await networking.get("/users")
        #expect(network.sent.count == 1)
    }
}
