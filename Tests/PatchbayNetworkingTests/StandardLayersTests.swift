import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Synchronization
import Testing

@Suite("The order of the layers")
struct StandardLayersTests {
    private let clock = ManualClock(jumps: true)

    /// The layers with a token, and their log entries.
    private func stack(
        _ network: any Networking, _ change: (inout LayerOptions) throws -> Void = { _ in }
    ) throws -> (networking: any Networking, log: RequestLog, entries: @Sendable () -> [RequestLogEntry]) {
        let entries = LogEntries()
        let log = RequestLog(clock: clock.layerClock) { entries.append($0) }
        var options = LayerOptions(clock: clock.layerClock, log: log)
        options.authorization = try Authorization(
            baseURL: "https://api.example.org", token: .value("ghp_s3cret"))
        try change(&options)
        return (network.layered(options.layers().own), log, { entries.all })
    }

    private func answer(_ status: Int = 200, remaining: Int) -> Response {
        let reset = clock.now().milliseconds / 1_000 + 3_000
        return .status(
            status,
            [
                "X-RateLimit-Remaining": "\(remaining)", "X-RateLimit-Reset": "\(reset)",
                "X-GitHub-Request-Id": "81FE:35",
            ], "[]")
    }

    @Test(
        "forwarded requests follow no redirects, are never replayed, and use the source's token only if it is lent"
    )
    func passing() throws {
        let log = RequestLog(clock: clock.layerClock) { _ in }
        var options = LayerOptions(clock: clock.layerClock, log: log)
        options.authorization = try Authorization(
            baseURL: "https://api.example.org", token: .value("ghp_s3cret"))
        options.deadline = .seconds(1)
        options.paces = [.init(requests: 1, period: .seconds(1))]
        options.recording = ScriptedNetworking(.status(200))
        let layers = options.layers()
        func names(_ layers: [any NetworkingLayer]) -> [String] {
            layers.reversed().map { "\(type(of: $0))" }
        }
        let lent = names(layers.own).filter { !["Redirects", "RecordedFirst"].contains($0) }
        #expect(
            lent == [
                "Metering", "Coalescing", "Deadline", "Retry", "Authorization", "RateLimit", "Pacing", "Log",
                "Redaction",
            ])
        // A limit that the API reports refuses a forwarded request instead of delaying it.
        let passing = lent.map { $0 == "RateLimit" ? "Passing" : $0 }
        #expect(names(layers.passing(lends: true)) == passing)
        #expect(names(layers.passing(lends: false)) == passing.filter { $0 != "Authorization" })
        // Requests with and without the token are equal above the layer that adds it.
        let shared = [layers.own, layers.passing(lends: true), layers.passing(lends: false)].map {
            $0.compactMap { $0 as? Coalescing }[0]
        }
        #expect(shared[0] !== shared[1] && shared[1] !== shared[2])
    }

    @Test(
        "the credentials of forwarded requests change no answer, and only their own exchanges in the recording"
    )
    func strangers() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/x.har"
        let log = RequestLog(clock: clock.layerClock) { _ in }
        var options = LayerOptions(clock: clock.layerClock, log: log)
        options.recorder = try Recorder(
            path: path, isAdding: false, clock: clock.layerClock, secrets: log.secrets)
        let layers = options.layers(), network = ScriptedNetworking(.status(200, [:], "an apple a day"))
        let passing = network.layered(layers.passing(lends: false))
        for name in [HTTPField.Name.authorization, .init("X-Api-Key")!] {
            var request = HTTPRequest.get("/mine")
            request.headerFields[name] = name == .authorization ? "Bearer apple" : "apple"
            #expect(try await passing.send(request, body: []).body == Array("an apple a day".utf8))
            #expect(try await passing.get("/other").body == Array("an apple a day".utf8))
            #expect(try await network.layered(layers.own).get("/own").body == Array("an apple a day".utf8))
        }
        let recording = try Recording.open(path)
        #expect(try await recording.get("/mine").body == Array("an REDACTED a day".utf8))
        for path in ["/other", "/own"] {
            #expect(try await recording.get(path).body == Array("an apple a day".utf8))
        }
    }

    @Test(
        "only reading requests lose their conditions when they are recorded",
        arguments: ["GET", "HEAD", "PUT"])
    func conditions(_ method: String) async throws {
        let network = ScriptedNetworking(.status(200))
        var request = HTTPRequest.get("/x")
        request.method = HTTPRequest.Method(method)!
        request.headerFields[.ifNoneMatch] = "*"
        _ = try await network.layered(Unconditional()).send(request, body: [])
        #expect(network.sent[0].headerFields[.ifNoneMatch] == (method == "PUT" ? "*" : nil))
    }

    @Test("a shared answer costs no budget")
    func sharedIsFree() async throws {
        let network = HeldNetwork()
        let (networking, log, entries) = try stack(network)
        let tasks = (0..<10).map { _ in Task.immediate { try await networking.get("/users") } }
        await network.hasSent(1)
        network.answerFirst(answer(remaining: 41))
        for task in tasks { _ = try await task.value }
        #expect(network.sent.count == 1)
        #expect(log.counts.cost == 1)
        #expect(log.counts.coalesced == 9)
        #expect(entries().count { $0.origin == .coalesced && $0.cost == 0 && $0.status == 200 } == 9)
    }

    @Test("a retried request is logged and counted twice, and its duration excludes pauses")
    func retried() async throws {
        let network = ScriptedNetworking(.status(502), answer(remaining: 40))
        let (networking, log, entries) = try stack(network)
        _ = try await networking.get("/users")
        #expect(entries().map(\.status) == [502, 200])
        #expect(entries().map(\.number) == [1, 2])
        #expect(entries().allSatisfy { $0.duration == .zero })
        #expect(log.counts.sent == 2)
        #expect(log.counts.retried == 1)
    }

    @Test("an attempt after a pause must also respect the limit")
    func retriedWithinLimit() async throws {
        let network = ScriptedNetworking(answer(502, remaining: 0), .status(200))
        let (networking, _, _) = try stack(network)
        #expect(await fault { try await networking.get("/users") }?.code == .rateLimited)
        #expect(network.sent.count == 1)
    }

    @Test("a redirect to another host is returned")
    func foreignHost() async throws {
        let network = ScriptedNetworking { _, _, _ in
            .status(302, ["Location": "https://files.example.org/x"])
        }
        let (networking, _, entries) = try stack(network)
        #expect(try await networking.get("/a").head.status.code == 302)
        #expect(network.sent.map { $0.headerFields[.authorization] } == ["Bearer ghp_s3cret"])
        #expect(entries().map(\.url) == ["https://api.example.org/a"])
    }

    @Test("a new token after 401 is sent within the limit and logged")
    func renewedToken() async throws {
        let reads = Mutex(0)
        let network = ScriptedNetworking { request, _, _ in
            .status(request.headerFields[.authorization] == "Bearer token-2" ? 200 : 401)
        }
        let (networking, _, entries) = try stack(network) { options in
            options.authorization = try Authorization(
                baseURL: "https://api.example.org",
                token: TokenProvider {
                    reads.withLock {
                        $0 += 1
                        return "token-\($0)"
                    }
                })
        }
        #expect(try await networking.get("/users").head.status.code == 200)
        #expect(entries().map(\.status) == [401, 200])
        #expect(Set(entries().map(\.tokenFingerprint)).count == 2)
    }

    @Test("the recorder writes each hop and attempt, and neither its file nor the log contains a secret")
    func recorded() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/x.har"
        let network = ScriptedNetworking { request, _, number in
            switch number {
            case 0: .status(301, ["Location": "https://api.example.org/new?access_token=l0cation"])
            case 1: .status(503)
            default: .status(200, [:], "done")
            }
        }
        let (networking, _, entries) = try stack(network) {
            $0.recorder = try Recorder(path: path, isAdding: false, clock: clock.layerClock)
        }
        #expect(try await networking.get("/old").body == Array("done".utf8))
        let recording = try Recording.open(path)
        #expect(recording.entryCount == 3)
        #expect(try await recording.get("/new").head.status.code == 503)
        #expect(try await recording.get("/new").body == Array("done".utf8))
        #expect(!"\(entries())".contains("l0cation"))
        #expect(!"\(entries())".contains("s3cret"))
        _ = try await networking.get("/old")
        #expect(entries().map(\.origin).last { $0 != .network } == .rememberedRedirect)
    }

    @Test("recorded answers need no token, budget or retry")
    func replayed() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/x.har"
        let recorder = try Recorder(path: path, isAdding: false, clock: clock.layerClock)
        let recorded = ScriptedNetworking { request, _, _ in
            request.path == "/refused" ? .status(401) : self.answer(200, remaining: 0)
        }
        for path in ["/users", "/refused"] { _ = try await recorded.layered(recorder).get(path) }
        let network = ScriptedNetworking(answer(remaining: 40))
        let (networking, log, entries) = try stack(network) {
            $0.recording = try Recording.open(path, isGrowing: true)
            $0.authorization = try Authorization(
                baseURL: "https://api.example.org",
                token: TokenProvider { throw PatchbayError(.unauthorized, "x") })
        }
        for _ in 0..<3 { #expect(try await networking.get("/users").head.status.code == 200) }
        #expect(entries().map(\.origin) == [.recording, .recording, .recording])
        #expect(log.counts.cost == 0)
        #expect(clock.sleeps.isEmpty)
        // What is missing, and what failed, is requested.
        for path in ["/other", "/refused"] {
            #expect(await fault { try await networking.get(path) }?.code == .unauthorized)
        }
        var change = HTTPRequest.get("/users")
        change.method = .post
        #expect(await fault { try await networking.send(change, body: []) }?.code == .unauthorized)
    }

    @Test("304 and requests for limits are free")
    func free() async throws {
        let network = ScriptedNetworking { request, _, _ in
            answer(request.path == "/users" ? 304 : 200, remaining: 40)
        }
        let (networking, log, _) = try stack(network)
        for path in ["/users", "/rate_limit", "/users/octocat"] { _ = try await networking.get(path) }
        #expect(log.counts.cost == 1)
        #expect(log.counts.sent == 3)
        #expect(log.counts.notModified == 1)
    }

    @Test("an entry describes the request with the server's identifier and without the token")
    func entry() async throws {
        let (networking, _, entries) = try stack(ScriptedNetworking(answer(remaining: 41)))
        _ = try await networking.get("/users?since=46")
        let entry = try #require(entries().first)
        #expect(entry.method == "GET")
        #expect(entry.url == "https://api.example.org/users?since=46")
        #expect(entry.remaining == 41)
        #expect(entry.bodyBytes == 2)
        #expect(entry.serverRequestID == "81FE:35")
        #expect(entry.tokenFingerprint == TokenFingerprint("ghp_s3cret"))
        let (failing, log, failures) = try stack(
            ScriptedNetworking { _, _, _ in throw PatchbayError(.offline, "x") })
        _ = try? await failing.get("/users")
        #expect(failures().map(\.error) == [.offline, .offline, .offline, .offline])
        #expect(log.counts.failed == 4)
    }

    @Test("a cancelled caller ends all layers below at once")
    func cancelled() async throws {
        let network = HeldNetwork()
        let (networking, _, _) = try stack(network)
        let task = Task { try await networking.get("/users") }
        await network.hasSent(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await network.hasCancelled(1)
    }
}

/// Collects the entries of a log.
final class LogEntries: Sendable {
    private let entries = Mutex<[RequestLogEntry]>([])

    var all: [RequestLogEntry] { entries.withLock { $0 } }

    func append(_ entry: RequestLogEntry) { entries.withLock { $0.append(entry) } }
}
