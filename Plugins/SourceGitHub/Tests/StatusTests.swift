import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("statuses of GitHub")
struct StatusTests {
    private func faultOfUser(_ networking: ScriptedNetworking) async -> PatchbayError? {
        await fault { try await gitHubFeed(networking).user("octocat") }
    }

    /// Status, fields, the body's message, the code and the sentence.
    struct Case: Sendable {
        let status: Int
        var fields: [(String, String)] = []
        var body = ""
        let code: PatchbayError.Code
        let sentence: String
    }

    static let cases: [Case] = [
        Case(
            status: 401, body: #"{"message":"Bad credentials"}"#, code: .unauthorized,
            sentence: "api.github.com refused the credentials: \"Bad credentials\"; "
                + "check the token, or set source.token"
        ),
        Case(
            status: 403, fields: [("X-RateLimit-Remaining", "12")],
            body: #"{"message":"Resource not accessible by integration"}"#, code: .permissionDenied,
            sentence:
                "api.github.com does not permit the request: \"Resource not accessible by integration\"; "
                + "check the token's permissions"),
        Case(
            status: 404, body: #"{"message":"Not Found"}"#, code: .notFound,
            sentence: "there is no user \"octocat\" at api.github.com, or it is hidden"),
        Case(
            status: 410, body: #"{"message":"Version gone"}"#, code: .unsupported,
            sentence:
                "api.github.com no longer serves this: \"Version gone\"; a newer Patchbay may help"),
        Case(
            status: 451, body: #"{"message":"Blocked","block":{"reason":"dmca","created_at":"x"}}"#,
            code: .permissionDenied,
            sentence: "api.github.com is legally barred from answering: \"Blocked\", reason \"dmca\""),
        Case(
            status: 422, body: #"{"message":"Validation Failed"}"#, code: .invalidValue,
            sentence: "api.github.com refused the request as invalid: \"Validation Failed\""),
        Case(status: 400, code: .invalidValue, sentence: "api.github.com refused the request as invalid"),
        Case(
            status: 502, body: "<html>bad gateway", code: .offline,
            sentence: "api.github.com could not answer (502); try again later"),
        Case(
            status: 503, fields: [("Retry-After", "600")], code: .offline,
            sentence: "api.github.com could not answer (503); try again in 600 seconds"),
        Case(
            status: 501, body: #"{"message":"Not Implemented"}"#, code: .unsupported,
            sentence: "api.github.com does not support this request (501): \"Not Implemented\""),
        Case(
            status: 505, code: .unsupported, sentence: "api.github.com does not support this request (505)"),
        Case(
            status: 301, fields: [("Location", "https://api.github.com/user/1")], code: .invalidResponse,
            sentence:
                "https://api.github.com answered 301 and points to \"https://api.github.com/user/1\", which was not "
                + "followed"),
        Case(
            status: 202, code: .invalidResponse,
            sentence: "api.github.com answered 202, which is unexpected"),
        Case(
            status: 500, body: "{\"message\":\"\\u001b[31m\\\"red\\\"\\u202e\\nx\"}", code: .offline,
            sentence:
                "api.github.com could not answer (500): \"\u{FFFD}[31m'red'\u{FFFD} x\"; try again later"
        ),
    ]

    @Test("a status is an error with a code and a sentence", arguments: cases)
    func status(_ scripted: Case) async {
        let error = await faultOfUser(ScriptedNetworking(scripted.status, scripted.fields, scripted.body))
        #expect(error?.code == scripted.code)
        #expect(error?.message == scripted.sentence)
        #expect(error?.status == scripted.status)
        #expect(error?.url == "https://api.github.com/users/octocat")
    }

    static let limits: [Case] = [
        Case(
            status: 403, fields: [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1790848700")],
            code: .rateLimited,
            sentence: "the rate limit of api.github.com is used up; it resets at 2026-10-01T09:58:20Z; "
                + "a token may have a higher limit"),
        Case(
            status: 429, fields: [("x-ratelimit-remaining", "0"), ("Retry-After", "90")], code: .rateLimited,
            sentence: "the rate limit of api.github.com is used up; try again in 90 seconds"),
        Case(
            status: 403, fields: [("x-ratelimit-remaining", "7")],
            body: #"{"message":"You have exceeded a secondary rate limit."}"#, code: .rateLimited,
            sentence: "the secondary rate limit of api.github.com was exceeded; wait at least a minute"),
        Case(
            status: 403, body: #"{"documentation_url":"https://docs.github.com/v3/#abuse-rate-limits"}"#,
            code: .rateLimited,
            sentence: "the secondary rate limit of api.github.com was exceeded; wait at least a minute"),
        Case(
            status: 429, fields: [("Retry-After", "Thu, 01 Oct 2026 09:18:20 GMT")], code: .rateLimited,
            sentence: "the rate limit of api.github.com is used up; "
                + "try again at 2026-10-01T09:18:20Z"),
        Case(
            status: 403,
            fields: [("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "999999999999999999")],
            code: .rateLimited,
            sentence: "the rate limit of api.github.com is used up; wait at least a minute"),
    ]

    @Test("the error for a limit states when to continue", arguments: limits)
    func limit(_ scripted: Case) async {
        let error = await faultOfUser(ScriptedNetworking(scripted.status, scripted.fields, scripted.body))
        #expect(error?.code == .rateLimited)
        #expect(error?.message == scripted.sentence)
    }

    @Test("an error has the request's id and no secret")
    func context() async {
        let networking = ScriptedNetworking(500, [("x-github-request-id", "81FE:35")])
        let link = "https://api.github.com/users?since=1&access_token=t0p"
        let error = await fault { try await gitHubFeed(networking).page(.users(), next: link) }
        #expect(error?.note("x-github-request-id") == "81FE:35")
        #expect(error?.url == "https://api.github.com/users?since=1&access_token=...")
    }

    @Test("304 means unchanged for a conditional request, and otherwise an error")
    func notModified() async throws {
        let feed = gitHubFeed(ScriptedNetworking(304))
        let validator = Validator(entityTag: "\"x\"", partition: partition)
        #expect(try await feed.page(.users(), ifChangedFrom: validator).isUnchanged)
        #expect(try await feed.user("octocat", ifChangedFrom: validator).isUnchanged)
        let error = await fault { try await feed.user("octocat") }
        #expect(error?.code == .invalidResponse)
    }

    @Test("204 is an empty list, except for the list of all users, which is never empty")
    func noContent() async throws {
        let feed = gitHubFeed(ScriptedNetworking(204, [], ""))
        #expect(try await feed.page(.repos(of: "octocat")).value?.isEnd == true)
        let error = await fault { try await feed.page(.users()) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.message.contains("has no content where a list of users was expected") == true)
    }

    @Test("a user that occurs twice on a page counts once")
    func twice() async throws {
        let body = #"{"id": 1, "login": "a"}, {"id": 4, "login": "b"}"#
        let feed = gitHubFeed(ScriptedNetworking(200, [], "[\(body), \(body)]"))
        #expect(try await feed.page(.users()).value?.ids == [1, 4])
    }

    @Test("a request missing in a recording is not a 404 of GitHub")
    func notRecorded() async {
        let missing = PatchbayError(.notFound, "the recording \"x.har\" holds no answer")
        let error = await faultOfUser(ScriptedNetworking { _, _, _ in throw missing })
        #expect(error?.code == .unsupported)
        #expect(error?.message == missing.message)
        #expect(error?.isNotRecorded == true && error?.cause == nil)
    }

    @Test("a redirect that no layer followed names both servers")
    func otherServer() async {
        let fields = [("Location", "http://other.example.org/users?token=s3cret")]
        let error = await faultOfUser(ScriptedNetworking(302, fields))
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message == "https://api.github.com answered 302 and points to "
                + "\"http://other.example.org/users?token=...\", which is another server, so it was not followed; "
                + "if the API moved there, set source.base-url to its new address")
    }

    @Test(
        "a refusal because of a limit states when to try again, by the server's clock",
        arguments: [
            ([("Retry-After", "90")], "2026-11-21T20:01:30"),
            ([("Retry-After", "Sat, 21 Nov 2026 20:05:00 GMT")], "2026-11-21T20:05:00"),
            ([("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1795291200")], "2026-11-21T20:00:00"),
            ([], "2026-11-21T20:01:00"),
        ] as [([(String, String)], String)])
    func comeBack(_ fields: [(String, String)], _ expected: String) async {
        let date = ("Date", "Sat, 21 Nov 2026 20:00:00 GMT")
        let error = await faultOfUser(ScriptedNetworking(429, fields + [date]))
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAt == Timestamp(expected + "Z"))
    }

    @Test("a refusal by a server that does not state its clock may be tried again when the limit resets")
    func unknownClock() async {
        let fields = [
            ("Retry-After", "90"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1795291200"),
        ]
        let error = await faultOfUser(ScriptedNetworking(429, fields))
        #expect(error?.retryAt == Timestamp("2026-11-21T20:00:00Z"))
    }

    @Test("an error of the network is passed on unchanged")
    func offline() async {
        let error = await faultOfUser(
            ScriptedNetworking { _, _, _ in throw PatchbayError(.offline, "no route") })
        #expect(error?.code == .offline)
    }

    @Test("a 404 of the list concerns the URL")
    func listMissing() async {
        let error = await fault { try await gitHubFeed(ScriptedNetworking(404)).page(.users()) }
        #expect(error?.code == .notFound)
        #expect(
            error?.message == "api.github.com has no list of users at this URL; is source.base-url right?")
    }
}
