import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Synchronization
import Testing

@Suite("Retry")
struct RetryTests {
    private let clock = ManualClock(jumps: true)

    private func retry(_ options: Retry.Options = .init(), jitter: Double = 1) -> Retry {
        Retry(options, clock: clock.layerClock) { jitter }
    }

    @Test("temporary failures are retried", arguments: [408, 500, 502, 503, 504, 520])
    func again(_ status: Int) async throws {
        let network = ScriptedNetworking(.status(status), .status(status), .status(200))
        #expect(try await network.layered(retry()).get("/").head.status.code == 200)
        #expect(clock.sleeps == [.seconds(1), .seconds(2)])
    }

    @Test(
        "permanent failures are returned",
        arguments: [200, 204, 301, 304, 400, 403, 404, 409, 410, 422, 429, 451, 501, 505])
    func never(_ status: Int) async throws {
        let network = ScriptedNetworking(.status(status))
        #expect(try await network.layered(retry()).get("/").head.status.code == status)
        #expect(network.sent.count == 1)
    }

    @Test("an unreachable network is retried, other errors are not")
    func offline() async throws {
        let network = ScriptedNetworking { _, _, number in
            if number < 2 { throw PatchbayError(.offline, "no route") }
            return .status(200)
        }
        #expect(try await network.layered(retry()).get("/").head.status.code == 200)
        for code in PatchbayError.Code.allCases where code != .offline {
            let network = ScriptedNetworking { _, _, _ in throw PatchbayError(code, "x") }
            #expect(await fault { try await network.layered(retry()).get("/") }?.code == code)
            #expect(network.sent.count == 1)
        }
    }

    @Test("attempts are bounded, and the last error has their number")
    func bounded() async throws {
        let failing = ScriptedNetworking { _, _, _ in throw PatchbayError(.offline, "no route") }
        let error = await fault { try await failing.layered(retry()).get("/") }
        #expect(error?.note("attempts") == "4")
        #expect(failing.sent.count == 4)
        let answering = ScriptedNetworking(.status(503))
        #expect(try await answering.layered(retry()).get("/").head.status.code == 503)
        #expect(answering.sent.count == 4)
    }

    @Test("the time is bounded, and a pause that would exceed it is not started")
    func time() async throws {
        var options = Retry.Options()
        options.attemptsMax = 100
        options.timeMax = .seconds(10)
        let network = ScriptedNetworking(.status(500))
        _ = try await network.layered(retry(options)).get("/")
        #expect(clock.sleeps == [.seconds(1), .seconds(2), .seconds(4)])
    }

    @Test("pauses are random and grow up to a limit")
    func jitter() async throws {
        let generator = Mutex(SeededGenerator.fromEnvironment())
        let seed = generator.withLock { $0.seed }
        var options = Retry.Options()
        options.attemptsMax = 12
        options.timeMax = .seconds(10_000)
        let layer = Retry(options, clock: clock.layerClock) {
            generator.withLock { Double.random(in: 0...1, using: &$0) }
        }
        _ = try await ScriptedNetworking(.status(500)).layered(layer).get("/")
        let sleeps = clock.sleeps
        #expect(sleeps.count == 11)
        for (number, sleep) in sleeps.enumerated() {
            let longest = min(Duration.seconds(1 << number), .seconds(20))
            #expect(sleep >= .zero && sleep <= longest, "pause \(number), seed \(seed)")
        }
        #expect(Set(sleeps).count == sleeps.count, "seed \(seed)")
    }

    @Test(
        "Retry-After of a server error is respected, in seconds or as the server's date",
        arguments: ["7", "Thu, 01 Oct 2026 09:18:27 GMT"])
    func retryAfter(_ text: String) async throws {
        let busy = Response.status(503, ["Retry-After": text, "Date": "Thu, 01 Oct 2026 09:18:20 GMT"])
        let network = ScriptedNetworking(busy, .status(200))
        #expect(try await network.layered(retry(jitter: 0)).get("/").head.status.code == 200)
        #expect(clock.sleeps == [.seconds(7)])
    }

    @Test(
        "a Retry-After beyond the time limit is not waited for", arguments: ["3600", "99999999999999999999"])
    func longRetryAfter(_ text: String) async throws {
        let network = ScriptedNetworking(.status(503, ["Retry-After": text]))
        #expect(try await network.layered(retry()).get("/").head.status.code == 503)
        #expect(network.sent.count == 1)
        #expect(clock.sleeps.isEmpty)
    }

    @Test(
        "only idempotent requests are retried",
        arguments: [("POST", 1), ("PATCH", 1), ("PUT", 4), ("DELETE", 4), ("HEAD", 4)])
    func idempotent(_ method: String, _ sends: Int) async throws {
        let network = ScriptedNetworking(.status(500))
        var request = HTTPRequest.get("/")
        request.method = HTTPRequest.Method(method)!
        _ = try await network.layered(retry()).send(request, body: [])
        #expect(network.sent.count == sends)
    }

    @Test("401 is retried once, unless the credentials are bad")
    func unauthorized() async throws {
        let random = ScriptedNetworking(.status(401, [:], #"{"message":"Requires authentication"}"#))
        #expect(try await random.layered(retry()).get("/").head.status.code == 401)
        #expect(random.sent.count == 2)
        let bad = ScriptedNetworking(.status(401, [:], #"{"message":"Bad credentials"}"#))
        _ = try await bad.layered(retry()).get("/")
        #expect(bad.sent.count == 1)
    }

    @Test("202 is retried, and returned when it does not end")
    func accepted() async throws {
        let network = ScriptedNetworking(.status(202), .status(202), .status(200))
        #expect(try await network.layered(retry()).get("/stats").head.status.code == 200)
        let endless = ScriptedNetworking(.status(202))
        #expect(try await endless.layered(retry()).get("/stats").head.status.code == 202)
        #expect(endless.sent.count == 4)
    }

    @Test("404 with an entity tag is retried once, bypassing caches")
    func missing() async throws {
        let network = ScriptedNetworking(.status(404, ["ETag": "\"x\""]))
        #expect(try await network.layered(retry()).get("/").head.status.code == 404)
        #expect(network.sent.map { $0.headerFields[.cacheControl] } == [nil, "no-cache"])
        let cached = ScriptedNetworking(.status(404, ["ETag": "\"x\""]), .status(304))
        #expect(try await cached.layered(retry()).get("/").head.status.code == 304)
        #expect(cached.sent.count == 2)
    }

    @Test("cancelling ends the pause at once")
    func cancel() async throws {
        let clock = ManualClock()
        let network = ScriptedNetworking(.status(500))
        let networking = network.layered(Retry(clock: clock.layerClock))
        let task = Task { try await networking.get("/") }
        await clock.hasBegun(sleeps: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(network.sent.count == 1)
    }
}
