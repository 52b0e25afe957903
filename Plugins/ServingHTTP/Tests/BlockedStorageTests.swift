#if Live
import HTTPTypes
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayNetworking
import PatchbayServer
import PatchbayTestKit
import Synchronization
import Testing

/// The gateway as a real server, over a storage that does not answer.
@Suite("A server over a blocked storage (Live)", .timeLimit(.minutes(3)))
struct BlockedStorageTests {
    /// Opens gateways whose forwarded requests pass the layers that share budgets and paces over the storage.
    private func gateways(
        _ storage: any Storage, sent: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> Gateways {
        let clock = LayerClock(now: Timestamp.now), slot = Mutex<Store?>(nil)
        let store: @Sendable () async throws -> Store = { try #require(slot.withLock { $0 }) }
        var options = LayerOptions(clock: clock, log: RequestLog(clock: clock))
        options.budgets = BudgetMemory(store: store) { _ in true }
        options.ledger = BudgetLedger(store: store) { _ in true }
        options.paces = [Pacing.Limit(requests: 100_000, period: .seconds(60))]
        options.paceStore = store
        let feed = ScriptedFeed(people: 1...50, projects: 1...5, changes: [], pageSize: 20, cap: 30)
        var source = feed.source()
        source.word = "test"
        let layers = options.layers().passing(lends: false)
        let network = ScriptedNetworking { request, _, _ in
            sent(request.path ?? "")
            return Response(
                200, [("Content-Type", "text/plain"), ("Cache-Control", "max-age=600")], "document")
        }
        source.upstream = Upstream(baseURL: "https://api.example.org", networking: network.layered(layers))
        let gateways = try await Gateways(
            storage: storage, sources: [source], schema: GatewayServer.schema, clock: clock)
        slot.withLock { $0 = gateways.store }
        return gateways
    }

    /// Sends a request on a connection of its own; returns the status and the time until the answer.
    private func timed(
        _ server: TestedServer, _ path: String, method: String = "GET", _ lines: [String] = []
    ) async throws -> (status: Int?, time: Duration) {
        let client = try server.client(), start = ContinuousClock.now
        let answer = await client.ask(server.request(path, lines + ["Connection: close"], method: method))
        return (answer.statuses.first, .now - start)
    }

    /// Serves the gateways over a storage while it is not blocked, and passes the server to `body`.
    private func serving(
        _ storage: BlockingStorage, _ body: @Sendable (TestedServer) async throws -> Void
    ) async throws {
        let gateways = try await gateways(storage)
        let gateway = try await GatewayServer(gateways, ServerOptions(), PrometheusMetrics())
        try await TestedServer.with(gateway.responder) { server in
            #expect(try await timed(server, "/document").status == 200)
            #expect(try await timed(server, "/-/resources/people?limit=3").status == 200)
            try await body(server)
            storage.release()
            #expect(try await timed(server, "/-/resources/people?limit=3").status == 200)
        }
        await gateway.stop()
        try await gateways.close()
    }

    /// Sends reads and edits of the API, which need the storage, at the same time; returns their statuses.
    private func useStorage(_ server: TestedServer) async throws -> [Int?] {
        try await withThrowingTaskGroup { group in
            for number in 1...12 {
                group.addTask {
                    number.isMultiple(of: 2)
                        ? try await timed(server, "/-/resources/people?limit=\(number)").status
                        : try await timed(
                            server, "/-/resources/people/user-\(number)/favourite", method: "PUT",
                            ["Content-Length: 0"]
                        ).status
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("live and answers of the proxy do not wait for the storage")
    func proxied() async throws {
        let storage = BlockingStorage(MemoryStorage(), limitMilliseconds: 100_000)
        try await serving(storage) { server in
            storage.block()
            async let statuses = useStorage(server)
            // Both event loops and the shared threads would be blocked by now.
            while storage.blockedCount < 12 { try await Task.sleep(for: .milliseconds(5)) }
            var longest = Duration.zero
            for number in 0..<20 {
                for path in ["/-/live", "/document", "/other/\(number)"] {
                    let (status, time) = try await timed(server, path)
                    #expect(status == 200)
                    longest = max(longest, time)
                }
            }
            print("the longest answer beside a blocked storage took \(longest)")
            #expect(storage.blockedCount >= 12)
            storage.release()
            let ended = try await statuses
            #expect(ended.allSatisfy { [200, 204].contains($0) }, "\(ended)")
        }
    }

    @Test(
        "an answer that cannot be stored yet is served from memory, and stored when the storage answers again"
    )
    func waiting() async throws {
        let storage = BlockingStorage(MemoryStorage(), limitMilliseconds: 100_000),
            paths = Mutex<[String]>([])
        let gateways = try await gateways(storage) { path in paths.withLock { $0.append(path) } }
        let gateway = try await GatewayServer(gateways, ServerOptions(), PrometheusMetrics())
        try await TestedServer.with(gateway.responder) { server in
            storage.block()
            for _ in 1...5 {
                #expect(try await timed(server, "/new").status == 200)
                // Longer than an answer waits to be written.
                try await Task.sleep(for: .milliseconds(150))
            }
            #expect(paths.withLock { $0.filter { $0 == "/new" } }.count == 1)
            storage.release()
        }
        await gateway.stop()
        let content = try await AnswerCache.content(of: gateways.store)
        #expect(content.answers == 1)
        try await gateways.close()
    }

    @Test("a server stops although the storage does not answer, and reports that")
    func stopping() async throws {
        let storage = BlockingStorage(MemoryStorage(), limitMilliseconds: 100_000)
        let gateways = try await gateways(storage), reports = Mutex(0)
        let gateway = try await GatewayServer(gateways, ServerOptions(), PrometheusMetrics()) { _ in
            reports.withLock { $0 += 1 }
        }
        try await TestedServer.with(gateway.responder) { server in
            storage.block()
            let (status, _) = try await timed(server, "/document")
            #expect(status == 200)
        }
        let start = ContinuousClock.now
        await gateway.stop()
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(reports.withLock { $0 } > 0)
        storage.release()
        try await gateways.close()
    }

    @Test("reads and edits end within the storage's limit")
    func limited() async throws {
        let storage = BlockingStorage(MemoryStorage(), limitMilliseconds: 300)
        try await serving(storage) { server in
            storage.block()
            let statuses = try await useStorage(server)
            #expect(statuses.allSatisfy { $0 == 503 })
        }
    }
}
#endif
