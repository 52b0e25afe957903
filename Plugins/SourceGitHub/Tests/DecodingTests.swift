import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import SourceGitHub

@Suite("GitHub's JSON as users")
struct DecodingTests {
    private func page(_ body: String, _ fields: [(String, String)] = [], after id: Int64 = 0) async throws
        -> ItemPage
    {
        let feed = gitHubFeed(ScriptedNetworking(200, fields, body))
        return try #require(try await feed.page(.users(after: id)).value)
    }

    private func answer(
        _ body: String, _ fields: [(String, String)] = []
    ) async throws -> (Item, Validator) {
        let fetched = try await gitHubFeed(ScriptedNetworking(200, fields, body)).user("x")
        return (try #require(fetched.value), try #require(fetched.validator))
    }

    private func user(_ body: String) async throws -> User {
        try await answer(body).0.decoded(as: User.self)
    }

    @Test("a list row has its fields, and missing details stay unknown")
    func listRow() async throws {
        let page = try await page(
            """
            [{"login": "a", "id": 1, "url": "u/a", "name": "A",
              "avatar_url": null, "future": {"x": [1]}},
             {"id": 7, "node_id": "N", "login": "b", "avatar_url": "v", "gravatar_id": "",
              "url": "u/b", "html_url": "h",
              "type": "Organization", "user_view_type": "public", "site_admin": true}]
            """)
        var first = User(id: 1, login: "a", url: "u/a")
        first.name = "A"
        var second = User(id: 7, login: "b", url: "u/b")
        (second.nodeID, second.avatarURL, second.htmlURL) = ("N", "v", "h")
        (second.type, second.isSiteAdmin) = ("Organization", true)
        #expect(try page.decoded(as: User.self) == [first, second])
        #expect(page.items[0].knows("avatar_url") && page.items[0].knows("name"))
        #expect(!page.items[0].knows("bio", "created_at"))
        #expect(page.items[1].text("gravatar_id") == "" && page.items[1].text("user_view_type") == "public")
        #expect(!page.items[1].knowsDetail)
    }

    @Test("a single user has details")
    func detail() async throws {
        let (item, validator) = try await answer(
            """
            {"login": "a", "id": 1, "url": "u/a", "name": "A \\u00e9\\ud83d\\ude00", "company": null,
             "blog": "",
             "location": "L", "email": "e", "hireable": true, "bio": "b", "twitter_username": "t",
             "public_repos": 2,
             "public_gists": 3, "followers": 4, "following": 5, "created_at": "2008-01-14T04:33:35Z",
             "updated_at": "2008-01-14T04:33:35.5+00:00", "plan": {"name": "x"}, "\\u0074ype": "Bot"}
            """, [("ETag", "W/\"x\""), ("Last-Modified", "d")])
        var user = User(id: 1, login: "a", url: "u/a", type: "Bot")
        (user.name, user.blog, user.location, user.email) = ("A é😀", "", "L", "e")
        (user.isHireable, user.bio, user.twitterUsername) = (true, "b", "t")
        (user.publicRepos, user.publicGists, user.followers, user.following) = (2, 3, 4, 5)
        user.createdAt = Timestamp(milliseconds: 1_200_285_215_000)
        user.updatedAt = Timestamp(milliseconds: 1_200_285_215_500)
        #expect(try item.decoded(as: User.self) == user)
        #expect(validator == Validator(entityTag: "W/\"x\"", lastModified: "d", partition: partition))
    }

    @Test("a single user without details is known to have none")
    func emptyDetail() async throws {
        let item = try await answer(#"{"login": "a", "id": 1, "url": "u"}"#).0
        #expect(item.resource.fields.allSatisfy { item.knows($0.name) })
        #expect(try item.decoded(as: User.self) == User(id: 1, login: "a", url: "u"))
    }

    @Test("a missing address of a user is derived")
    func missingAddress() async throws {
        #expect(try await user(#"{"login": "a", "id": 1}"#).url == "https://api.github.com/users/a")
    }

    @Test("an empty entity tag is ignored")
    func emptyEntityTag() async throws {
        let validator = try await answer(#"{"login": "a", "id": 1, "url": "u"}"#, [("ETag", "W/\"\"")]).1
        #expect(validator.entityTag == nil && validator.lastModified == nil)
    }

    @Test("U+0000 becomes U+FFFD, because no storage can store it")
    func zero() async throws {
        let user = try await user(#"{"login": "a", "id": 1, "url": "u", "bio": "a\u0000b\\u0000"}"#)
        #expect(user.bio == "a\u{FFFD}b\\u0000")
    }

    @Test(
        "the error for an invalid list of users names URL and member",
        arguments: [
            ("", "the body is empty"),
            ("<html>", "expected an array, found '<'"),
            (#"{"message": "x"}"#, "expected an array, found an object"),
            ("[1]", "[0]: expected an object, found a number"),
            (#"[{"id": 1, "login": "a", "url": "u"}] x"#, "expected the end of the text, found 'x'"),
            (
                #"[{"id": 1, "login": "a", "url": "u"}, {"id": "02"}]"#,
                "[1].id: expected a whole number, found a string; ids that are texts need the type \"text\""
            ),
            (
                #"[{"id": 1, "login": "a", "url": "u", "site_admin": "no"}]"#,
                "[0].site_admin: expected true or false, found a string"
            ),
            (#"[{"id": 1, "login": null, "url": "u"}]"#, "[0].login: expected a string, found null"),
            (#"[{"id": 1, "url": "u"}]"#, "[0].login: expected a text, found none"),
            (#"[{"id": 1, "login": "a", "url": 7}]"#, "[0].url: expected a string, found a number"),
            (#"[{"login": "a", "url": "u"}]"#, "[0].id: expected a number above zero, found 0 or none"),
            (
                #"[{"id": -4, "login": "a", "url": "u"}]"#,
                "[0].id: expected a number above zero, found -4 or none"
            ),
            (#"[{"id": 9223372036854775808}]"#, "[0].id: the number does not fit 64 bits"),
            (#"[{"id": 1.5}]"#, "[0].id: expected a whole number, found a fraction"),
            (#"[{"id": 1, "x\u001b": 01}]"#, "[0].x\u{FFFD}: a number starts with a zero"),
            (
                #"[{"id": 2, "login": "a", "url": "u"}, {"id": 2, "login": "b", "url": "u"}]"#,
                "[1].id: 2 is not greater than 2, but pages must be in ascending order"
            ),
        ])
    func faults(_ body: String, _ problem: String) async {
        let error = await fault { try await page(body) }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message == "the answer of https://api.github.com/users?per_page=100 cannot be used: "
                + "it is not a list of users: \(problem)")
    }

    @Test("an invalid date is reported")
    func date() async {
        let error = await fault {
            try await user(#"{"login": "a", "id": 1, "url": "u", "created_at": "today"}"#)
        }
        #expect(
            error?.message.hasSuffix(
                "it is not a user: created_at: expected a date such as 2008-01-14T04:33:35Z, "
                    + "found another text") == true)
    }

    @Test("a page with too many users is refused")
    func pageLimit() async {
        let body = (1...10_001).map { "{\"id\": \($0), \"login\": \"a\", \"url\": \"u\"}" }.joined(
            separator: ",")
        let error = await fault { try await page("[\(body)]") }
        #expect(error?.message.contains("[10000]: more than 10000 users in a page; ") == true)
    }

    @Test("users that were not requested are refused")
    func notAfter() async {
        let error = await fault { try await page(#"[{"id": 5, "login": "a", "url": "u"}]"#, after: 5) }
        #expect(
            error?.message.hasSuffix("the first user has the id 5, but rows after 5 were requested") == true
        )
    }

    @Test(
        "the next page is in the link and must be on the same server",
        arguments: [
            ("<https://api.github.com/users?since=46>; rel=\"next\"", true),
            ("<https://API.github.com:443/users?since=46>; rel=\"next\"", true),
            ("<https://evil.example/users?since=46>; rel=\"next\"", false),
            ("</users?since=46>; rel=\"next\"", true),
        ])
    func next(_ field: String, _ isTaken: Bool) async throws {
        let page = try await page("[]", [("Link", field)])
        #expect((page.next != nil) == isTaken)
        #expect((page.shortfall?.kind == .link) == !isTaken)
    }

    @Test("several Link fields count as one")
    func severalFields() async throws {
        let next = "https://api.github.com/users?since=46"
        let fields = [
            ("Link", "<https://docs.github.com>; rel=\"deprecation\""), ("Link", "<\(next)>; rel=\"next\""),
        ]
        #expect(try await page("[]", fields).next == next)
    }

    @Test("a page that names itself as the next one is kept, and is incomplete")
    func loop() async throws {
        let link = "https://api.github.com/users?since=46"
        let networking = ScriptedNetworking(200, [("Link", "<\(link)>; rel=\"next\"")], "[]")
        let fetched = try await gitHubFeed(networking).page(
            ItemRequest(.users(), next: link), ifChangedFrom: Validator())
        guard case .changed(let page, _) = fetched else { return #expect(Bool(false), "no page") }
        #expect(page.next == nil && page.shortfall?.kind == .link)
    }
}
