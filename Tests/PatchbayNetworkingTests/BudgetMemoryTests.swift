import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Synchronization
import Testing

@Suite("RateLimit between runs")
struct BudgetMemoryTests {
    private let clock = ManualClock(Timestamp("2026-10-01T09:18:20Z")!, jumps: true)

    private func store() async throws -> Store {
        try await Store(MemoryStorage(), schema: Schema(version: 1, [StoredBudget.collection]))
    }

    private func answer(remaining: Int, resetsIn seconds: Int64) -> Response {
        .status(
            200,
            [
                "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "\(remaining)",
                "X-RateLimit-Reset": "\(clock.now().milliseconds / 1_000 + seconds)",
            ])
    }

    private func run(_ network: ScriptedNetworking, _ memory: BudgetMemory, log: RequestLog? = nil)
        -> any Networking
    {
        network.layered(RateLimit(clock: clock.layerClock, memory: memory, log: log))
    }

    @Test("a budget used up by one run limits the next one from its start")
    func nextRun() async throws {
        let store = try await store()
        let memory = BudgetMemory(store: { store }, keeps: { _ in true })
        _ = try await run(ScriptedNetworking(answer(remaining: 0, resetsIn: 600)), memory).get("/users")
        clock.advance(by: .seconds(100))
        let network = ScriptedNetworking(.status(200))
        let error = await fault { try await run(network, memory).get("/users") }
        #expect(error?.message.contains("try again in 8 min 21 s") == true)
        #expect(network.sent.isEmpty)
        clock.advance(by: .seconds(501))
        _ = try await run(network, memory).get("/users")
        #expect(network.sent.count == 1)
    }

    @Test("a secondary limit also applies to the next run, but only for its token")
    func secondary() async throws {
        let store = try await store()
        let memory = BudgetMemory(store: { store }, keeps: { _ in true })
        let refusing = ScriptedNetworking(.status(429, ["Retry-After": "900"]))
        let request = HTTPRequest.get("/users", token: "ghp_very_secret_token")
        #expect(await fault { try await run(refusing, memory).send(request, body: []) }?.code == .rateLimited)
        let network = ScriptedNetworking(.status(200))
        #expect(await fault { try await run(network, memory).send(request, body: []) }?.code == .rateLimited)
        _ = try await run(network, memory).get("/users")
        #expect(network.sent.count == 1)
        let rows = try await store.read { try $0.list(StoredBudget.self, Query(StoredBudget.collection)) }
        #expect(rows.map(\.resource) == ["secondary"])
        #expect(rows.allSatisfy { !"\($0)".contains("secret") })
    }

    @Test("budgets are saved at once when used up, otherwise at most every 30 s")
    func intervals() async throws {
        let saves = Mutex(0)
        let memory = BudgetMemory(load: { [] }, save: { _ in saves.withLock { $0 += 1 } })
        let networking = run(ScriptedNetworking(answer(remaining: 50, resetsIn: 3_000)), memory)
        for _ in 0..<20 { _ = try await networking.get("/users") }
        #expect(saves.withLock { $0 } == 1)
        clock.advance(by: .seconds(31))
        _ = try await networking.get("/users")
        #expect(saves.withLock { $0 } == 2)
        _ = try await run(ScriptedNetworking(answer(remaining: 0, resetsIn: 3_000)), memory).get("/users")
        #expect(saves.withLock { $0 } == 3)
    }

    @Test("a failure to save a budget is counted, fails no request, and is retried")
    func failingSave() async throws {
        let fails = Mutex(true)
        let saved = Mutex<[StoredBudget]>([])
        let memory = BudgetMemory(
            load: { [] },
            save: { budgets in
                if fails.withLock({ $0 }) { throw PatchbayError(.busy, "locked") }
                saved.withLock { $0 = budgets }
            })
        let log = RequestLog(clock: clock.layerClock)
        let networking = run(ScriptedNetworking(answer(remaining: 50, resetsIn: 3_000)), memory, log: log)
        #expect(try await networking.get("/users").head.status.code == 200)
        #expect(log.counts.unsavedBudgets == 1)
        fails.withLock { $0 = false }
        _ = try await networking.get("/users")
        #expect(saved.withLock { $0 }.map(\.remaining) == [50])
    }

    @Test("a memory that cannot be read fails the request, and the next request reads it again")
    func failingLoad() async throws {
        let loads = Mutex(0)
        let memory = BudgetMemory(
            load: {
                if loads.withLock({
                    $0 += 1
                    return $0
                }) == 1 {
                    throw PatchbayError(.busy, "locked")
                }
                return []
            }, save: { _ in })
        let networking = run(ScriptedNetworking(.status(200)), memory)
        #expect(await fault { try await networking.get("/users") }?.code == .busy)
        _ = try await networking.get("/users")
        _ = try await networking.get("/users")
        #expect(loads.withLock { $0 } == 2)
    }

    @Test("a reset that was noted while the clock was days ahead closes nothing")
    func clockAhead() async throws {
        let store = try await store()
        for days in [1, 10] {
            let resetsAt = clock.now().advanced(by: .seconds(days * 86_400))
            try await store.write {
                try $0.put(
                    StoredBudget(
                        origin: "https://api.example.org", token: "", resource: "core", limit: 60,
                        remaining: 0,
                        resetsAt: resetsAt))
            }
            let memory = BudgetMemory(store: { store }, keeps: { _ in true }),
                network = ScriptedNetworking(answer(remaining: 5, resetsIn: 9))
            let failure = await fault { try await run(network, memory).get("/users") }
            #expect(failure?.code == (days == 1 ? .rateLimited : nil))
        }
    }

    @Test("budgets of clients' tokens, of which there may be any number, are not stored, but limit this run")
    func clients() async throws {
        let store = try await store()
        let own = TokenFingerprint("own").description
        let network = ScriptedNetworking(answer(remaining: 0, resetsIn: 600))
        let networking = run(network, BudgetMemory(store: { store }, keeps: { $0.isEmpty || $0 == own }))
        for token in [nil, "own"] + (1...20).map({ "stranger-\($0)" }) {
            let request = token.map { HTTPRequest.get("/users", token: $0) } ?? .get("/users")
            _ = try await networking.send(request, body: [])
            #expect(await fault { try await networking.send(request, body: []) }?.code == .rateLimited)
        }
        #expect(network.sent.count == 22)
        let rows = try await store.read { try $0.list(StoredBudget.self, Query(StoredBudget.collection)) }
        #expect(Set(rows.map(\.token)) == ["", own])
    }

    @Test("budgets that were reset long ago are deleted")
    func pruned() async throws {
        let store = try await store()
        let memory = BudgetMemory(store: { store }, keeps: { _ in true })
        let old = StoredBudget(
            origin: "https://api.example.org", token: "0123456789", resource: "core", limit: 60, remaining: 0,
            resetsAt: Timestamp("2026-09-01T00:00:00Z")!)
        try await store.write { try $0.put(old) }
        _ = try await run(ScriptedNetworking(answer(remaining: 50, resetsIn: 3_000)), memory).get("/users")
        let rows = try await store.read { try $0.list(StoredBudget.self, Query(StoredBudget.collection)) }
        #expect(rows.map(\.token) == [""])
    }
}
