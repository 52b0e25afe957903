import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayNetworking
import PatchbayServer
import PatchbayTestKit
import Synchronization
import Testing

@Suite("The proxy while the server does not answer")
struct OfflineTests {
    private func stale(_ control: String, _ second: Response?, _ fields: HTTPFields = [:]) async throws
        -> ServerResponse
    {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: control, .eTag: "\"a\""]))
        _ = await bench.get("/users", fields)
        bench.clock.advance(by: .seconds(100))
        if let second { bench.server.answers(second) } else { bench.server.fails(.unreachable) }
        return await bench.get("/users", fields)
    }

    @Test(
        "without a connection every stored answer is served, marked and with its age",
        arguments: ["max-age=10", "public, max-age=60, s-maxage=60", "must-revalidate", "no-cache", ""])
    func unreachable(_ control: String) async throws {
        let response = try await stale(control, nil)
        #expect((response.status, response.text) == (200, "body"))
        #expect(response["Age"] == "100")
        #expect(response["Cache-Status"] == "patchbay; fwd=stale; detail=offline")
        #expect(response["Warning"] == nil)
    }

    @Test(
        "a temporary redirect is only stored if the server states a lifetime or permits it (RFC 9111, section 3)",
        arguments: [302, 303, 307])
    func redirects(_ status: Int) async throws {
        let mine: HTTPFields = [.authorization: "Bearer ada-ada-ada"]
        let stated: [HTTPFields] = [
            [.cacheControl: "max-age=0"], [.cacheControl: "s-maxage=0"], [.cacheControl: "public"],
            [.cacheControl: "private"], [.expires: "0"],
        ]
        let unstated: [HTTPFields] = [[:], [.eTag: "\"a\""], [.cacheControl: "no-cache, must-revalidate"]]
        for (fields, isStored) in stated.map({ ($0, true) }) + unstated.map({ ($0, false) }) {
            let bench = try await ProxyBench()
            bench.server.answers(.answer(status, fields))
            let first = await bench.get("/users", mine)
            #expect(first["Cache-Status"]?.hasSuffix("; stored") == isStored, "\(fields)")
            bench.server.fails(.unreachable)
            #expect(await bench.get("/users", mine).status == (isStored ? status : 504), "\(fields)")
        }
        let bench = try await ProxyBench()
        bench.server.answers(.answer(status, [.cacheControl: "private"]))
        #expect(await bench.get()["Cache-Status"]?.hasSuffix("; stored") == false, "no owner is known")
    }

    @Test("while the connection is lost no client waits for an attempt, and soon it is tried again")
    func remembered() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(1, [.eTag: "\"a\""]))
        _ = await bench.get()
        bench.clock.advance(by: .seconds(10))
        bench.server.fails(.unreachable)
        _ = await bench.get()
        let second = await bench.get()
        #expect(second["Cache-Status"] == "patchbay; hit; ttl=-9; detail=offline")
        #expect(bench.server.count == 2)
        bench.clock.advance(by: .seconds(6))
        bench.server.answers(.answer(304, [.eTag: "\"a\""], ""))
        #expect(await bench.get()["Cache-Status"] == "patchbay; fwd=stale; fwd-status=304; stored")
    }

    @Test(
        "a stored answer replaces a server failure, unless the server forbids that",
        arguments: [500, 502, 503, 504])
    func failing(_ status: Int) async throws {
        let covered = try await stale("max-age=10", .answer(status))
        #expect(
            (covered.status, covered["Cache-Status"]) == (200, "patchbay; fwd=stale; fwd-status=\(status)"))
        for control in [
            "max-age=1, must-revalidate", "s-maxage=1", "max-age=1, proxy-revalidate", "no-cache",
        ] {
            #expect(try await stale(control, .answer(status)).status == status, "\(control)")
        }
        let mine: HTTPFields = [.authorization: "Bearer ada-ada-ada"]
        #expect(try await stale("private, max-age=60, s-maxage=60", .answer(status), mine).status == 200)
    }

    @Test("a client that requires confirmation gets no stale answer")
    func insists() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        _ = await bench.get()
        bench.server.fails(.unreachable)
        #expect(await bench.get("/users", [.cacheControl: "no-cache"]).status == 504)
        #expect(await bench.get().status == 200)
    }

    @Test(
        "a stored answer replaces a rate limit; without one the answer states when to retry"
    )
    func limits() async throws {
        let refusal = Response.answer(403, [.init("X-RateLimit-Remaining")!: "0"], "API rate limit exceeded")
        #expect(try await stale("max-age=10", refusal).status == 200)
        let bench = try await ProxyBench()
        bench.server.answers(refusal)
        #expect(await bench.get().text == "API rate limit exceeded", "the server's own text is forwarded")
        let opens = bench.clock.now().advanced(by: .seconds(90))
        bench.server.fails(
            PatchbayError(.rateLimited, "the limit is used up", [.retryAt(opens)]))
        let refused = await bench.get()
        #expect((refused.status, refused["Retry-After"]) == (429, "90"))
        #expect(refused["Content-Type"] == "application/problem+json")
    }

    @Test("a request that exceeds a declared pace is answered with the time of the next one")
    func pace() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer())
        let limit = Pacing.Limit(requests: 1, period: .seconds(60))
        let paced = bench.server.layered(
            Pacing([limit], waitAtMost: .zero, clock: bench.clock.layerClock))
        let proxy = try ProxyResponder(
            Upstream(baseURL: ProxyBench.base, networking: paced), cache: bench.cache, ProxyOptions(),
            clock: bench.clock.layerClock)
        #expect(await proxy.respond(to: Requests.make(.get, "/users/1")).status == 200)
        let refused = await proxy.respond(to: Requests.make(.get, "/users/2"))
        #expect((refused.status, refused["Retry-After"]) == (429, "61"))
        bench.clock.advance(by: .seconds(61))
        #expect(await proxy.respond(to: Requests.make(.get, "/users/2")).status == 200)
    }

    @Test("without a stored answer each failure has its own status")
    func failures() async throws {
        let bench = try await ProxyBench()
        bench.server.fails(.unreachable)
        #expect(await bench.get().status == 504)
        var timeout = PatchbayError(.offline, "did not answer in time")
        timeout.isTimeout = true
        bench.server.fails(timeout)
        #expect(await bench.get().status == 504)
        #expect(await bench.send(.post).status == 504)
        bench.server.fails(PatchbayError(.offline, "broke off"))
        #expect(await bench.get().status == 502)
        bench.server.fails(PatchbayError(.invalidResponse, "is not HTTP"))
        #expect(await bench.get().status == 502)
        #expect(await bench.send(.post).status == 502)
    }

    @Test("an answer that may be used during revalidation is served at once (RFC 5861)")
    func whileRevalidating() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(
            .answer(200, [.cacheControl: "max-age=10, stale-while-revalidate=30"], "old"),
            .fresh(60, [:], "new"))
        _ = await bench.get()
        bench.clock.advance(by: .seconds(20))
        #expect(await bench.get().text == "old")
        while bench.server.count < 2 { await Task.yield() }
        var text = "old"
        while text == "old" { text = await bench.get().text }
        #expect(text == "new" && bench.server.count == 2)
    }

    @Test("requests in the background end when the proxy is stopped, and no more begin")
    func stopped() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "max-age=10, stale-while-revalidate=3000"], "old"))
        let network = HangingUpstream(inner: bench.server)
        let proxy = try ProxyResponder(
            Upstream(baseURL: ProxyBench.base, networking: network), cache: bench.cache, ProxyOptions(),
            clock: bench.clock.layerClock)
        let request = Requests.make(.get, "/users")
        _ = await proxy.respond(to: request)
        network.hangs.store(true, ordering: .relaxed)
        bench.clock.advance(by: .seconds(20))
        #expect(await proxy.respond(to: request).status == 200)
        await proxy.stop()
        #expect(await proxy.respond(to: request).status == 200)
        #expect(bench.server.count == 1)
        #expect(network.hanging.load(ordering: .relaxed) == 0)
    }
}

/// A server that answers until it hangs; then requests wait until they are cancelled.
private final class HangingUpstream: Networking {
    let hangs = Atomic(false)
    /// The number of requests that wait.
    let hanging = Atomic(0)
    private let inner: ScriptedUpstream

    init(inner: ScriptedUpstream) { self.inner = inner }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        if hangs.load(ordering: .relaxed) {
            hanging.add(1, ordering: .relaxed)
            defer { hanging.subtract(1, ordering: .relaxed) }
            try await Task.sleep(for: .seconds(3_600))
        }
        return try await inner.send(request, body: body)
    }
}
