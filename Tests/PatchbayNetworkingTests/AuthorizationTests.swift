import HTTPTypes
import PatchbayCore
import PatchbayNetworking
import PatchbayTestKit
import Synchronization
import Testing

/// The tokens that are read one after another.
private final class Tokens: Sendable {
    private let count = Mutex(0)
    private let token: @Sendable (_ number: Int) throws -> String

    /// - Parameter token: returns the token of a reading; the first has the number 1.
    init(_ token: @escaping @Sendable (_ number: Int) throws -> String) { self.token = token }

    /// The number of readings.
    var reads: Int { count.withLock { $0 } }

    var provider: TokenProvider {
        TokenProvider { [self] in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return try token(number)
        }
    }
}

@Suite("Authorization")
struct AuthorizationTests {
    private let base = "https://api.example.org"

    @Test(
        "the token is sent only to its origin",
        arguments: [
            ("https", "api.example.org", true), ("https", "API.example.org:443", true),
            ("https", "api.example.org:444", false), ("http", "api.example.org", false),
            ("https", "example.org", false), ("https", "api.example.org.evil.org", false),
        ])
    func origin(_ scheme: String, _ authority: String, _ isSent: Bool) async throws {
        let network = ScriptedNetworking(.status(200))
        let layer = try Authorization(baseURL: base + "/api/v3", token: .value("s3cret"))
        let request = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: "/")
        _ = try await network.layered(layer).send(request, body: [])
        #expect(network.sent[0].headerFields[.authorization] == (isSent ? "Bearer s3cret" : nil))
    }

    @Test("each hop of a redirect gets the token of its server")
    func hops() async throws {
        let network = ScriptedNetworking { request, _, _ in
            request.path == "/a" ? .status(302, ["Location": "/b"]) : .status(200)
        }
        let layer = try Authorization(baseURL: base, token: .value("s3cret"))
        _ = try await network.layered(layer, Redirects()).get("/a")
        let credentials = network.sent.map { $0.headerFields[.authorization] }
        #expect(credentials == ["Bearer s3cret", "Bearer s3cret"])
    }

    @Test("a request with its own credentials keeps them, and without a token nothing is added")
    func own() async throws {
        let network = ScriptedNetworking(.status(200))
        let layer = try Authorization(baseURL: base, token: .value("s3cret"))
        _ = try await network.layered(layer).send(.get("/", token: "mine"), body: [])
        let without = try Authorization(baseURL: base, token: TokenProvider { nil })
        _ = try await network.layered(without).get("/")
        #expect(network.sent.map { $0.headerFields[.authorization] } == ["Bearer mine", nil])
    }

    @Test("a token in the query replaces the placeholder of a link, but not another credential")
    func query() async throws {
        let network = ScriptedNetworking(.status(200))
        let layer = try Authorization(
            baseURL: base, token: .value("s/cret"), scheme: .query(name: "api key"))
        let paths = ["/a", "/a?b=1", "/a?api%20key=REDACTED&b=1", "/a?api%20key=mine&b=1"]
        for path in paths { _ = try await network.layered(layer).get(path) }
        #expect(
            network.paths == [
                "/a?api%20key=s%2Fcret", "/a?b=1&api%20key=s%2Fcret", "/a?b=1&api%20key=s%2Fcret",
                "/a?api%20key=mine&b=1",
            ])
    }

    @Test("concurrent requests read the token once")
    func readOnce() async throws {
        let tokens = Tokens { _ in "s3cret" }
        let network = ScriptedNetworking(.status(200))
        let layer = try Authorization(baseURL: base, token: tokens.provider)
        try await withThrowingTaskGroup { group in
            for number in 0..<50 { group.addTask { _ = try await network.layered(layer).get("/\(number)") } }
            try await group.waitForAll()
        }
        #expect(tokens.reads == 1)
        #expect(network.sent.allSatisfy { $0.headerFields[.authorization] == "Bearer s3cret" })
    }

    @Test("after 401 the token is read again, and a new one is tried once")
    func renewed() async throws {
        let tokens = Tokens { $0 == 1 ? "old-one" : "new-one" }
        let network = ScriptedNetworking { request, _, _ in
            .status(request.headerFields[.authorization] == "Bearer new-one" ? 200 : 401)
        }
        let networking = network.layered(try Authorization(baseURL: base, token: tokens.provider))
        #expect(try await networking.get("/").head.status.code == 200)
        #expect(try await networking.get("/").head.status.code == 200)
        #expect(tokens.reads == 2)
        #expect(network.sent.count == 3)
    }

    @Test("a request with a new token has no conditions, because the account may be another one")
    func unconditional() async throws {
        let tokens = Tokens { $0 == 1 ? "old-one" : "new-one" }
        let network = ScriptedNetworking(.status(401), .status(200))
        let networking = network.layered(try Authorization(baseURL: base, token: tokens.provider))
        var request = HTTPRequest.get("/")
        request.headerFields[.ifNoneMatch] = "\"x\""
        _ = try await networking.send(request, body: [])
        #expect(network.sent.map { $0.headerFields[.ifNoneMatch] } == ["\"x\"", nil])
    }

    @Test("a token that stays refused is not sent or read repeatedly")
    func refused() async throws {
        let tokens = Tokens { _ in "expired" }
        let network = ScriptedNetworking(.status(401))
        let networking = network.layered(try Authorization(baseURL: base, token: tokens.provider))
        for _ in 0..<5 { #expect(try await networking.get("/").head.status.code == 401) }
        #expect(network.sent.count == 5)
        #expect(tokens.reads == 2)
    }

    @Test("a refused token is read again after a pause, because it may be renewed late")
    func renewedLate() async throws {
        let tokens = Tokens { $0 < 3 ? "expired" : "renewed" }
        let network = ScriptedNetworking(.status(401), .status(401), .status(200))
        let networking = network.layered(
            try Authorization(baseURL: base, token: tokens.provider, pause: .zero))
        #expect(try await networking.get("/").head.status.code == 401)
        #expect(try await networking.get("/").head.status.code == 200)
        #expect(tokens.reads == 3)
    }

    @Test("a failed reading is reported and not cached")
    func failedReading() async throws {
        let tokens = Tokens { number in
            if number == 1 { throw PatchbayError(.invalidConfiguration, "the command failed") }
            return "s3cret"
        }
        let networking = ScriptedNetworking(.status(200)).layered(
            try Authorization(baseURL: base, token: tokens.provider))
        #expect(await fault { try await networking.get("/") }?.message == "the command failed")
        #expect(try await networking.get("/").head.status.code == 200)
    }

    @Test(
        "an invalid token is refused without being shown",
        arguments: ["to\nken", "tok en", "", "tökenö"])
    func unfit(_ token: String) async throws {
        let network = ScriptedNetworking(.status(200))
        let networking = network.layered(try Authorization(baseURL: base, token: .value(token)))
        let error = await fault { try await networking.get("/") }
        #expect(error?.code == .invalidConfiguration)
        #expect(token.isEmpty || error?.description.contains(token) == false)
        #expect(network.sent.isEmpty)
    }

    @Test(
        "without encryption a token is sent only to this machine",
        arguments: [
            ("http://127.0.0.1:8080", true), ("http://localhost", true), ("http://[::1]:80", true),
            ("http://api.example.org", false), ("http://127.evil.org", false),
            ("http://localhost.evil.org", false),
        ])
    func plain(_ baseURL: String, _ isSent: Bool) async throws {
        let network = ScriptedNetworking(.status(200))
        let networking = network.layered(try Authorization(baseURL: baseURL, token: .value("s3cret")))
        let request = HTTPRequest(
            method: .get, scheme: "http", authority: String(baseURL.dropFirst("http://".count)), path: "/")
        let error = await fault { try await networking.send(request, body: []) }
        #expect((error == nil) == isSent)
        #expect(network.sent.count == (isSent ? 1 : 0))
        #expect(error?.description.contains("s3cret") != true)
    }

    @Test("an invalid base URL is refused", arguments: ["", "api.example.org", "ftp://x", "https://a@b"])
    func baseURL(_ text: String) {
        #expect(throws: PatchbayError.self) { try Authorization(baseURL: text, token: .value("x")) }
    }

    @Test("a fingerprint has ten digits and identifies its token")
    func fingerprint() {
        let one = TokenFingerprint("ghp_abcdefghijklmnopqrstuvwxyz0123456789")
        #expect(one.description.wholeMatch(of: #/[0-9a-f]{10}/#) != nil)
        #expect(one == TokenFingerprint("ghp_abcdefghijklmnopqrstuvwxyz0123456789"))
        let others = Set((0..<10_000).map { TokenFingerprint("ghp_\($0)").description })
        #expect(others.count == 10_000)
    }
}
