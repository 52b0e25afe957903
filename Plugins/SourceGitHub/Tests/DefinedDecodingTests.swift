import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("by definition: GitHub's JSON as users")
struct DefinedDecodingTests {
    private func page(_ body: String, _ fields: [(String, String)] = [], after id: Int64 = 0) async throws
        -> UserPage
    {
        let users = DefinedUsers(
            networking: ScriptedNetworking(200, fields, body), baseURL: "https://api.github.com")
        guard case .changed(let page, _) = try await users.users(.after(id), ifChangedFrom: Validator())
        else {
            throw PatchbayError(.internalError, "unchanged")
        }
        return page
    }

    private func user(_ body: String, _ fields: [(String, String)] = []) async throws -> (User, Validator) {
        let users = DefinedUsers(
            networking: ScriptedNetworking(200, fields, body), baseURL: "https://api.github.com")
        guard case .changed(let user, let validator) = try await users.user("x", ifChangedFrom: Validator())
        else {
            throw PatchbayError(.internalError, "unchanged")
        }
        return (user, validator)
    }

    @Test("a list row has what it has, and no detail")
    func listRow() async throws {
        let users = try await page(
            """
            [{"login": "a", "id": 1, "url": "u/a", "name": "not of a list",
              "avatar_url": null, "future": {"x": [1]}},
             {"id": 7, "node_id": "N", "login": "b", "avatar_url": "v", "gravatar_id": "",
              "url": "u/b", "html_url": "h",
              "type": "Organization", "user_view_type": "public", "site_admin": true}]
            """
        ).users
        var first = User(id: 1, login: "a", url: "u/a")
        first.type = "User"
        var second = User(id: 7, login: "b", url: "u/b")
        second.nodeID = "N"
        second.avatarURL = "v"
        second.gravatarID = ""
        second.htmlURL = "h"
        second.type = "Organization"
        second.userViewType = "public"
        second.isSiteAdmin = true
        #expect(users == [first, second])
    }

    @Test("a single user has its detail")
    func detail() async throws {
        let (user, validator) = try await user(
            """
            {"login": "a", "id": 1, "url": "u/a", "name": "A \\u00e9\\ud83d\\ude00", "company": null,
             "blog": "",
             "location": "L", "email": "e", "hireable": true, "bio": "b", "twitter_username": "t",
             "public_repos": 2,
             "public_gists": 3, "followers": 4, "following": 5, "created_at": "2008-01-14T04:33:35Z",
             "updated_at": "2008-01-14T04:33:35.5+00:00", "plan": {"name": "x"}, "\\u0074ype": "Bot"}
            """, [("ETag", "W/\"x\""), ("Last-Modified", "d")])
        var detail = User.Detail()
        (detail.name, detail.blog, detail.location, detail.email) = ("A é😀", "", "L", "e")
        (detail.isHireable, detail.bio, detail.twitterUsername) = (true, "b", "t")
        (detail.publicRepos, detail.publicGists, detail.followers, detail.following) = (2, 3, 4, 5)
        detail.createdAt = Timestamp(milliseconds: 1_200_285_215_000)
        detail.updatedAt = Timestamp(milliseconds: 1_200_285_215_500)
        #expect(user.detail == detail)
        #expect(user.type == "Bot")
        #expect(validator == Validator(entityTag: "W/\"x\"", lastModified: "d", partition: partition))
    }

    @Test("a single user without any detail has an empty one")
    func emptyDetail() async throws {
        #expect(try await user(#"{"login": "a", "id": 1, "url": "u"}"#).0.detail == User.Detail())
    }

    @Test("a user without the API's address gets the one it has there")
    func missingAddress() async throws {
        #expect(try await user(#"{"login": "a", "id": 1}"#).0.url == "https://api.github.com/users/a")
    }

    @Test("semantics-12: an empty entity tag is not kept")
    func emptyEntityTag() async throws {
        let validator = try await user(#"{"login": "a", "id": 1, "url": "u"}"#, [("ETag", "W/\"\"")]).1
        #expect(validator == Validator())
    }

    @Test("U+0000 becomes U+FFFD, because no storage keeps it")
    func zero() async throws {
        let user = try await user(#"{"login": "a", "id": 1, "url": "u", "bio": "a\u0000b\\u0000"}"#).0
        #expect(user.detail?.bio == "a\u{FFFD}b\\u0000")
    }

    @Test(
        "what is no list of users names URL and member",
        arguments: [
            ("", "expected an array, found the end of the text"),
            ("<html>", "expected an array, found '<'"),
            (#"{"message": "x"}"#, "expected an array, found an object"),
            ("[1]", "[0]: expected an object, found a number"),
            (#"[{"id": 1, "login": "a", "url": "u"}] x"#, "expected the end of the text, found 'x'"),
            (
                #"[{"id": 1, "login": "a", "url": "u"}, {"id": "2"}]"#,
                "[1].id: expected a whole number, found a string"
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
            (#"[{"id": 1.5}]"#, "[0].id: expected a whole number, found a fraction or an exponent"),
            (#"[{"id": 1, "x\u001b": 01}]"#, "[0].x\u{FFFD}: a number starts with a zero"),
            (
                #"[{"id": 2, "login": "a", "url": "u"}, {"id": 2, "login": "b", "url": "u"}]"#,
                "[1].id: 2 does not come after 2, but a page is in ascending order"
            ),
        ])
    func faults(_ body: String, _ problem: String) async {
        let error = await fault { try await page(body) }
        #expect(error?.code == .invalidResponse)
        #expect(
            error?.message == "the answer of https://api.github.com/users?per_page=100 cannot be used: "
                + "it is not a list of users: \(problem)")
    }

    @Test("a date that is none is told")
    func date() async {
        let error = await fault {
            try await user(#"{"login": "a", "id": 1, "url": "u", "created_at": "today"}"#)
        }
        #expect(
            error?.message.hasSuffix(
                "it is not a user: created_at: expected a date such as 2008-01-14T04:33:35Z, "
                    + "found another text") == true)
    }

    @Test("a page of more users than there may be is refused")
    func pageLimit() async {
        let body = (1...10_001).map { "{\"id\": \($0), \"login\": \"a\", \"url\": \"u\"}" }.joined(
            separator: ",")
        let error = await fault { try await page("[\(body)]") }
        #expect(error?.message.hasSuffix("[10000]: more than 10000 users in a page") == true)
    }

    @Test("semantics-9: users that were not asked for are refused")
    func notAfter() async {
        let error = await fault { try await page(#"[{"id": 5, "login": "a", "url": "u"}]"#, after: 5) }
        #expect(
            error?.message.hasSuffix("the first user has the id 5, but those after 5 were asked for") == true
        )
    }

    @Test(
        "the next page is the link's, which must be of the same server",
        arguments: [
            ("<https://api.github.com/users?since=46>; rel=\"next\"", true),
            ("<https://API.github.com:443/users?since=46>; rel=\"next\"", true),
            ("<https://evil.example/users?since=46>; rel=\"next\"", false),
            ("</users?since=46>; rel=\"next\"", false),
        ])
    func next(_ field: String, _ isTaken: Bool) async {
        let error = await fault { try await page("[]", [("Link", field)]) }
        #expect((error == nil) == isTaken)
        #expect(isTaken || error?.code == .invalidResponse)
    }

    @Test("semantics-7: several Link fields count as one")
    func severalFields() async throws {
        let next = "https://api.github.com/users?since=46"
        let fields = [
            ("Link", "<https://docs.github.com>; rel=\"deprecation\""), ("Link", "<\(next)>; rel=\"next\""),
        ]
        #expect(try await page("[]", fields).next == next)
    }

    @Test("a page that names itself as its next is refused")
    func loop() async {
        let link = "https://api.github.com/users?since=46"
        let networking = ScriptedNetworking(200, [("Link", "<\(link)>; rel=\"next\"")], "[]")
        let users = DefinedUsers(networking: networking, baseURL: "https://api.github.com")
        let error = await fault { try await users.users(.next(link), ifChangedFrom: Validator()) }
        #expect(error?.code == .invalidResponse)
    }
}
