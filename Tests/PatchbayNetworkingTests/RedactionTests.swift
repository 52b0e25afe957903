import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayNetworking

@Suite("Redaction")
struct RedactionTests {
    private static let token = "0f1e2d3c4b5a69788796a5b4c3d2e1f000112233"

    private func answer(
        _ response: Response, to request: HTTPRequest, knowing secrets: [String] = []
    ) async throws -> Response {
        let network = ScriptedNetworking(response)
        return try await network.layered(Redaction(KnownSecrets(secrets))).send(request, body: [])
    }

    private func request(_ authorization: String? = nil) -> HTTPRequest {
        var request = HTTPRequest(method: .get, scheme: "https", authority: "x.org", path: "/")
        request.headerFields[.authorization] = authorization
        return request
    }

    private func echo(_ secret: String) -> Response {
        var head = HTTPResponse(status: HTTPResponse.Status(code: 401, reasonPhrase: "no \(secret)"))
        head.headerFields = [
            .init("X-GitHub-Request-Id")!: secret, .location: "https://y.org/?a=\(secret)&b=1",
        ]
        if let name = HTTPField.Name(secret) { head.headerFields[name] = "1" }
        return Response(head: head, body: Array(#"{"message": "Bad credentials: \#(secret)"}"#.utf8))
    }

    @Test(
        "an answer never repeats the credentials of its request",
        arguments: [
            ("Bearer \(token)", token), ("token tk7", "tk7"), ("Basic YWRhOm15LXBhc3N3b3Jk", "my-password"),
        ])
    func echoes(_ authorization: String, _ secret: String) async throws {
        let response = try await answer(echo(secret), to: request(authorization))
        #expect(response.head.status.reasonPhrase == "no REDACTED")
        #expect(response.head.headerFields[.init("X-GitHub-Request-Id")!] == "REDACTED")
        #expect(response.head.headerFields[.location] == "https://y.org/?a=REDACTED&b=1")
        #expect(response.head.headerFields[.init("REDACTED")!] == "1")
        #expect(response.body == Array(#"{"message": "Bad credentials: REDACTED"}"#.utf8))
    }

    @Test("secrets of the configuration are removed from answers to requests without credentials")
    func configured() async throws {
        let response = try await answer(echo("proxy-pass"), to: request(), knowing: ["proxy-pass"])
        #expect(response.body == Array(#"{"message": "Bad credentials: REDACTED"}"#.utf8))
    }

    @Test("data that only looks like a secret stays, because it may have been requested")
    func data() async throws {
        let body = Array(#"{"token": "x", "html": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"}"#.utf8)
        let response = Response(
            head: HTTPResponse(status: .ok, headerFields: [.location: "/?token=x"]), body: body)
        let answer = try await answer(response, to: request("Bearer \(Self.token)"))
        #expect(answer.body == body && answer.head == response.head)
    }

    @Test("credentials of earlier requests are remembered, also for other addresses")
    func remembered() async throws {
        let secrets = KnownSecrets()
        let network = ScriptedNetworking(echo(Self.token)).layered(Redaction(secrets))
        _ = try await network.send(request("Bearer \(Self.token)"), body: [])
        let other = try await network.send(request(), body: [])
        #expect(!String(decoding: other.body, as: UTF8.self).contains(Self.token))
        #expect(secrets.filter.cleaned("x \(Self.token)") == "x REDACTED")
    }

    @Test(
        "credentials are remembered in the place where the API expects them",
        arguments: [
            (Authorization.Scheme.query(name: "key"), "/?key=s3cret%2Fvalue", nil),
            (.header(name: "X-Foo", prefix: nil), "/", "s3cret/value"),
            (.header(name: "X-Foo", prefix: "Key "), "/", "Key s3cret/value"),
        ] as [(Authorization.Scheme, String, String?)])
    func schemes(_ scheme: Authorization.Scheme, _ path: String, _ field: String?) async throws {
        let network = ScriptedNetworking(echo("s3cret/value"))
        var request = request()
        request.path = path
        request.headerFields[.init("X-Foo")!] = field
        let response = try await network.layered(Redaction(KnownSecrets(schemes: [.bearer, scheme])))
            .send(request, body: [])
        #expect(response.body == Array(#"{"message": "Bad credentials: REDACTED"}"#.utf8))
    }

    @Test("no log entry contains a secret, wherever the server put it")
    func log() async throws {
        let entries = LogEntries()
        let clock = ManualClock()
        let log = RequestLog(clock: clock.layerClock, secrets: KnownSecrets([Self.token])) {
            entries.append($0)
        }
        var request = request()
        request.path = "/?q=\(Self.token)"
        _ = try await ScriptedNetworking(echo(Self.token)).layered(Log(log)).send(request, body: [])
        let entry = try #require(entries.all.first)
        #expect(entry.url == "https://x.org/?q=REDACTED" && entry.serverRequestID == "REDACTED")
    }

    @Test(
        "the decoded password of an address is known, unless it is short or missing",
        arguments: [
            ("http://ada:pa%24%24word@proxy:3128", "pa$$word"), ("ada:p@ss:word1@proxy", "p@ss:word1"),
            ("http://ada:short@proxy", nil), ("http://ada@proxy", nil), ("http://proxy:3128", nil),
        ])
    func passwords(_ address: String, _ password: String?) {
        #expect(KnownSecrets.password(inAddress: address) == password)
    }
}
