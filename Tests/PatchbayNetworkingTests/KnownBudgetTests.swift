import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Testing

@Suite("Known budgets")
struct KnownBudgetTests {
    private let clock = ManualClock(Timestamp("2026-10-01T09:18:20Z")!, jumps: true)

    private func answer(_ status: Int, remaining: Int, _ fields: [String: String] = [:]) -> Response {
        let known = [
            "X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "\(remaining)",
            "X-RateLimit-Reset": "\(clock.now().milliseconds / 1_000 + 600)",
        ]
        return .status(status, known.merging(fields) { $1 })
    }

    @Test("a budget is known per server and token until it is full again")
    func ours() async throws {
        let limit = RateLimit(clock: clock.layerClock)
        _ = try await ScriptedNetworking(answer(200, remaining: 42)).layered(limit).get("/users")
        let known = try await limit.budget(at: "https://api.example.org/", token: nil)
        #expect(known?.remaining == 42 && known?.limit == 60)
        #expect(try await limit.budget(at: "https://other.example", token: nil) == nil)
        #expect(try await limit.budget(at: "https://api.example.org", token: TokenFingerprint("x")) == nil)
        #expect(try await limit.budget(at: "no address", token: nil) == nil)
        clock.advance(by: .seconds(602))
        #expect(try await limit.budget(at: "https://api.example.org", token: nil) == nil)
    }

    @Test(
        "a budget belongs to its token, no matter how the token is sent",
        arguments: [
            .bearer, .basic, .header(name: "Private-Token", prefix: nil),
            .header(name: "Authorization", prefix: "Token "), .query(name: "api_key"),
        ] as [Authorization.Scheme])
    func schemes(_ scheme: Authorization.Scheme) async throws {
        let limit = RateLimit(clock: clock.layerClock, scheme: scheme)
        let authorization = try Authorization(
            baseURL: "https://api.example.org", token: .value("ada:s3cret"), scheme: scheme)
        let network = ScriptedNetworking(answer(200, remaining: 42))
        _ = try await network.layered(limit, authorization).get("/users")
        let token = scheme.fingerprint("ada:s3cret")
        #expect(token != nil && token != scheme.fingerprint("ada:other"))
        #expect(try await limit.budget(at: "https://api.example.org", token: token)?.remaining == 42)
        #expect(try await limit.budget(at: "https://api.example.org", token: nil) == nil)
    }

    @Test("searches have a budget of their own")
    func search() async throws {
        let limit = RateLimit(clock: clock.layerClock)
        let fields = ["X-RateLimit-Resource": "search"]
        _ = try await ScriptedNetworking(answer(200, remaining: 3, fields)).layered(limit).get(
            "/search/users?q=x")
        #expect(try await limit.budget(at: "https://api.example.org", token: nil) == nil)
    }

    @Test("a run saves at its end what changed since the last save")
    func save() async throws {
        let store = try await Store(MemoryStorage(), schema: Schema(version: 1, [StoredBudget.collection]))
        let limit = RateLimit(
            clock: clock.layerClock,
            memory: BudgetMemory(store: { store }, keeps: { _ in true }))
        for remaining in [9, 8, 7] {
            _ = try await ScriptedNetworking(answer(200, remaining: remaining)).layered(limit).get("/users")
        }
        await limit.save()
        let rows = try await store.read { try $0.list(StoredBudget.self, Query(StoredBudget.collection)) }
        #expect(rows.map(\.remaining) == [7])
    }
}
