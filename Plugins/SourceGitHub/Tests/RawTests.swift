import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("Raw requests to GitHub, and its status")
struct RawTests {
    private func source(_ networking: ScriptedNetworking) -> Source {
        SourceAPI.github.open(networking, "https://api.github.com")
    }

    @Test("body, status and fields are returned unchanged, and the next page is on this server")
    func answer() async throws {
        let link = "<https://api.github.com/users?since=4>; rel=\"next\""
        let networking = ScriptedNetworking(200, [("Link", link), ("Set-Cookie", "s3cret")], " [1] ")
        let answer = try await #require(source(networking).raw).get("/users?per_page=1")
        #expect(answer.status == 200 && answer.body == Array(" [1] ".utf8) && answer.error == nil)
        #expect(answer.next == "https://api.github.com/users?since=4")
        #expect(!answer.fields.contains { $0.value.contains("s3cret") })
        #expect(networking.request?.path == "/users?per_page=1")
    }

    @Test("a next page of another server is not followed")
    func otherNext() async throws {
        let networking = ScriptedNetworking(200, [("Link", "<https://evil.example/x>; rel=next")], "[]")
        #expect(try await #require(source(networking).raw).get("/users").next == nil)
    }

    @Test("an error status keeps its body and has its code", arguments: [(404, 404), (401, 401)])
    func error(_ status: Int, _ expected: Int) async throws {
        let answer = try await #require(source(ScriptedNetworking(status, [], "{}")).raw).get("/nothing")
        #expect(answer.status == expected && answer.body == Array("{}".utf8))
        #expect(answer.error?.code == (status == 404 ? .notFound : .unauthorized))
    }

    @Test(
        "an invalid path is refused before a request is sent",
        arguments: [
            "users", "", "//evil.example/x", "https://evil.example/x", "/a b", "/a\u{1B}", "/é", "/a#b",
        ])
    func refused(_ path: String) async throws {
        let networking = ScriptedNetworking()
        let raw = try #require(source(networking).raw)
        #expect(await fault { try await raw.get(path) }?.code == .invalidValue)
        #expect(networking.sent.isEmpty)
    }

    @Test(
        "limits, clock and expiry of the token, in both formats",
        arguments: ["2026-11-28 18:42:48 UTC", "2026-11-28 19:42:48 +0100"])
    func status(_ end: String) async throws {
        let body = """
            {"resources": {"core": {"limit": 5000, "used": 1, "remaining": 4999, "reset": 1790000000},
             "odd": 3, "search": {"limit": 30, "remaining": 30, "reset": -1}}, "rate": {}}
            """
        let fields = [
            ("Date", "Sat, 21 Nov 2026 18:42:48 GMT"), ("GitHub-Authentication-Token-Expiration", end),
        ]
        let ask = try #require(source(ScriptedNetworking(200, fields, body)).status)
        let status = try await ask()
        #expect(status.serverTime == Timestamp("2026-11-21T18:42:48Z"))
        #expect(status.credentialsExpireAt == Timestamp("2026-11-28T18:42:48Z"))
        #expect(status.limits.map(\.resource) == ["core", "search"])
        #expect(status.limits[0].remaining == 4_999)
        #expect(status.limits[0].resetsAt == Timestamp(milliseconds: 1_790_000_000_000))
        #expect(status.limits[1].resetsAt == nil)
    }

    @Test("a server without limits has no error", arguments: ["never", "2026-11-28"])
    func unlimited(_ end: String) async throws {
        let fields = [("GitHub-Authentication-Token-Expiration", end)]
        let body = #"{"message": "Rate limiting is not enabled."}"#
        let ask = try #require(source(ScriptedNetworking(404, fields, body)).status)
        #expect(try await ask() == SourceStatus())
    }

    @Test(
        "an invalid list of limits is reported",
        arguments: ["[]", "{", "{\"resources\": {\"core\": {\"limit\": \"x\"}}}"])
    func invalid(_ body: String) async throws {
        let ask = try #require(source(ScriptedNetworking(200, [], body)).status)
        #expect(await fault { try await ask() }?.code == .invalidResponse)
    }
}
