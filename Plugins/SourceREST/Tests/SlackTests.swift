import CPlatform
import HTTPTypes
import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@Suite("Slack's Web API")
struct SlackTests {
    private func bench(_ answer: @escaping @Sendable (String, String) -> Response) throws -> Bench {
        try Bench(
            BundledDefinition.slack.definition,
            ScriptedNetworking { request, body, _ in answer(request.path ?? "", body) }
        )
    }

    @Test("users and members of conversations are paged by cursor, including empty pages")
    func users() async throws {
        let bench = try bench { path, body in
            switch (path, body) {
            case ("/api/users.list", "limit=200"):
                Response(
                    200, [],
                    #"{"ok": true, "members": [{"id": "U1", "name": "a", "profile": {"real_name": "A"}}], "#
                        + #""response_metadata": {"next_cursor": "c1"}}"#
                )
            case ("/api/users.list", "limit=200&cursor=c1"):
                Response(200, [], #"{"ok": true, "members": [], "response_metadata": {"next_cursor": "c2"}}"#)
            case ("/api/users.list", "limit=200&cursor=c2"):
                Response(200, [], #"{"ok": true, "members": [{"id": "U2", "name": "b"}]}"#)
            case ("/api/conversations.list", _):
                Response(200, [], #"{"ok": true, "channels": [{"id": "C1", "name": "general"}]}"#)
            case ("/api/conversations.members", "channel=C1&limit=1000"):
                Response(200, [], #"{"ok": true, "members": ["U1", "U2"]}"#)
            default: Response(500, [], "")
            }
        }
        let users = try await bench.items("users")
        #expect(users.map { $0.text("id") } == ["U1", "U2"] && users.map(\.title) == ["A", "b"])
        let conversation = try #require(try await bench.items("conversations").first)
        let members = try await bench.items("members", parent: conversation)
        #expect(members.map(\.key) == [[.text("C1"), .text("U1")], [.text("C1"), .text("U2")]])
        #expect(bench.networking.sent.allSatisfy { $0.method == .post })
        #expect(
            bench.networking.sent[0].headerFields[.contentType]
                == "application/x-www-form-urlencoded")
    }

    @Test(
        "a 200 answer that is not ok is an error of its kind",
        arguments: [
            (
                "invalid_auth", .unauthorized,
                "slack.com refused the credentials: \"invalid_auth\"; check the token, or set source.token"
            ),
            (
                "missing_scope", .permissionDenied,
                "slack.com does not permit the request: \"missing_scope\"; check the token's permissions"
            ),
            (
                "ratelimited", .rateLimited,
                "the rate limit of slack.com is used up; wait at least a minute"
            ),
            (
                "internal_error", .offline,
                "slack.com could not answer: \"internal_error\"; try again later"
            ),
            (
                "invalid_cursor", .invalidResponse,
                "slack.com no longer accepts the cursor: \"invalid_cursor\"; list from the start"
            ),
            ("strange", .invalidResponse, "slack.com answered with an error: \"strange\""),
        ] as [(String, PatchbayError.Code, String)])
    func errors(_ word: String, _ code: PatchbayError.Code, _ message: String) async throws {
        let bench = try bench { _, _ in Response(200, [], #"{"ok": false, "error": "\#(word)"}"#) }
        let error = await fault { try await bench.items("users") }
        #expect(error?.code == code)
        #expect(error?.message == message)
        #expect((error?.isAboutVoidCursor == true) == (word == "invalid_cursor"))
    }

    @Test("a single user is requested by the key")
    func single() async throws {
        let bench = try bench { path, body in
            (path, body) == ("/api/users.info", "user=U1")
                ? Response(
                    200, [],
                    #"{"ok": true, "user": {"id": "U1", "name": "a", "profile": {"real_name": "A"}}}"#)
                : Response(200, [], #"{"ok": false, "error": "user_not_found"}"#)
        }
        let users = try bench.resource("users"), feed = try #require(bench.source.feed)
        #expect(users.isShownByKey)
        let fetched = try await feed.item("U1", of: users, ifChangedFrom: Validator())
        guard case .changed(let user, _) = fetched else { return #expect(Bool(false), "unchanged") }
        #expect(user.handle == "a" && user.keyText == "U1" && user.text("real_name") == "A")
        let error = await fault { _ = try await feed.item("U2", of: users, ifChangedFrom: Validator()) }
        #expect(error?.code == .notFound)
    }

    @Test(
        "users are listed from a recording of another client's forms",
        .enabled(
            if: unsafe access(shared + "/recordings/slack_users_list.har", R_OK) == 0,
            "needs the shared recordings; set PATCHBAY_SHARED"))
    func recording() async throws {
        let recording = try Recording.open(shared + "/recordings/slack_users_list.har")
        let definition = BundledDefinition.slack.definition
        let source = SourceAPI.slack.open(recording, "https://slack.com/api")
        let resource = try Resource(#require(definition.resource(named: "users")), api: "slack")
        let fetched = try await #require(source.feed).page(
            ItemRequest(ListQuestion(resource)), ifChangedFrom: Validator())
        guard case .changed(let page, _) = fetched else { return #expect(Bool(false), "unchanged") }
        #expect(page.items.count > 20 && page.next == nil)
        #expect(
            page.items.first?.text("id") == "USLACKBOT" && page.items.first?.text("real_name") == "Slackbot")
        #expect(page.items.contains { $0["deleted"] == .boolean(true) })
        #expect(page.items.allSatisfy { $0.text("name") != nil && $0["updated"] != nil })
        let status = try #require(source.status)
        #expect(try await status().serverTime != nil)
    }
}
