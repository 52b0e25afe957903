import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("GitHub's issues, pull requests, releases, organizations, members and followers")
struct ProjectTests {
    private static let repo = "https://api.github.com/repos/o/n"

    /// Returns a row of a parent resource.
    private static func parent(_ name: String, _ row: ScriptedFeed.Row) throws -> Item {
        try ScriptedFeed.item(row, of: .bundled(name))
    }

    private static func ofRepository(_ name: String) throws -> ListQuestion {
        let row: ScriptedFeed.Row = ["id": .integer(1), "owner_login": .text("o"), "name": .text("n")]
        return ListQuestion(.bundled(name), parent: try parent("repos", row))
    }

    private func items(_ question: ListQuestion, _ path: String, _ body: String) async throws -> [Item] {
        let networking = ScriptedNetworking(200, [], body)
        let fetched = try await gitHubFeed(networking).page(question)
        #expect(networking.request?.path == path)
        return try #require(fetched.value).items
    }

    private func item(_ handle: String, of name: String, _ path: String, _ body: String) async throws -> Item
    {
        let networking = ScriptedNetworking(200, [], body)
        let fetched = try await gitHubFeed(networking).item(
            handle, of: .bundled(name), ifChangedFrom: Validator())
        #expect(networking.request?.path == path)
        return try #require(fetched.value)
    }

    @Test("issues include marked pull requests and are identified by their address")
    func issues() async throws {
        let issue =
            #"{"id": 5, "number": 7, "title": "t", "state": "open", "url": "\#(Self.repo)/issues/7", "#
            + #""user": {"login": "ann", "id": 3}, "labels": [{"name": "bug"}], "assignees": [], "comments": 2}"#
        let pull =
            #"{"id": 6, "number": 8, "url": "\#(Self.repo)/issues/8", "user": null, "#
            + #""pull_request": {"url": "\#(Self.repo)/pulls/8"}, "milestone": {"title": "m"}}"#
        let path = "/repos/o/n/issues?state=all&per_page=100"
        let issues = try await items(try Self.ofRepository("issues"), path, "[\(issue), \(pull)]")
        #expect(issues.map(\.handle) == ["o/n/issues/7", "o/n/issues/8"])
        #expect(issues.map { $0.text("pull_request") } == [nil, Self.repo + "/pulls/8"])
        #expect(issues.map { $0["repository_id"] } == [.integer(1), .integer(1)])
        #expect(issues[0]["labels"] == .json(#"["bug"]"#) && issues[0].text("user_login") == "ann")
        let single = try await item("o/n/issues/7", of: "issues", "/repos/o/n/issues/7", issue)
        #expect(single.keyText == "5" && single.knows("closed_by"))
        #expect(!single.knows("repository_id"), "the stored repository stays")
    }

    @Test("a later run requests issues by update time, and a repository may have no issues")
    func since() async throws {
        var question = try Self.ofRepository("issues")
        question.since = .time(Timestamp("2026-02-01T00:00:00Z")!)
        let path = "/repos/o/n/issues?state=all&per_page=100&since=2026-02-01T00%3A00%3A00Z"
        #expect(try await items(question, path, "[]").isEmpty)
        let disabled = ScriptedNetworking(410, [], #"{"message": "Issues are disabled for this repo"}"#)
        let page = try await gitHubFeed(disabled).page(try Self.ofRepository("issues")).value
        #expect(page?.isEnd == true)
    }

    @Test("a pull request has its branches, and a single one also its changes")
    func pulls() async throws {
        let pull =
            #"{"id": 6, "number": 8, "url": "\#(Self.repo)/pulls/8", "draft": true, "title": "t", "#
            + #""head": {"ref": "fix", "sha": "a", "repo": null}, "base": {"ref": "main", "repo": {"id": 1}}"#
        let path = "/repos/o/n/pulls?state=all&per_page=100"
        let pulls = try await items(try Self.ofRepository("pulls"), path, "[\(pull)}]")
        #expect(pulls.map(\.handle) == ["o/n/pulls/8"] && pulls[0]["repository_id"] == .integer(1))
        #expect(pulls[0].text("head_ref") == "fix" && pulls[0]["draft"] == .boolean(true))
        #expect(!pulls[0].knowsDetail)
        let body = pull + #", "additions": 10, "merged_by": {"login": "bob"}}"#
        let single = try await item("o/n/pulls/8", of: "pulls", "/repos/o/n/pulls/8", body)
        #expect(single["additions"] == .integer(10) && single.text("merged_by") == "bob")
    }

    @Test("a release has its assets")
    func releases() async throws {
        let release =
            #"{"id": 9, "tag_name": "v1", "url": "\#(Self.repo)/releases/9", "prerelease": false, "#
            + #""published_at": "2026-02-01T00:00:00Z", "assets": [{"browser_download_url": "u"}]}"#
        let path = "/repos/o/n/releases?per_page=100"
        let releases = try await items(try Self.ofRepository("releases"), path, "[\(release)]")
        #expect(releases.map(\.handle) == ["o/n/releases/9"] && releases[0].title == "v1")
        #expect(releases[0]["assets"] == .json(#"["u"]"#))
        let single = try await item("o/n/releases/9", of: "releases", "/repos/o/n/releases/9", release)
        #expect(single["published_at"] == releases[0]["published_at"])
    }

    @Test("organizations can be listed from any id, and their members belong to them")
    func organizations() async throws {
        var question = ListQuestion(.bundled("organizations"))
        question.after = 4
        let path = "/organizations?per_page=100&since=4"
        let body = #"[{"login": "apple", "id": 10, "description": "d"}, {"login": "x", "id": 12}]"#
        let organizations = try await items(question, path, body)
        #expect(organizations.map(\.handle) == ["apple", "x"] && !organizations[0].knowsDetail)
        let single = try await item(
            "apple", of: "organizations", "/orgs/apple", #"{"login": "apple", "id": 10, "name": "Apple"}"#)
        #expect(single.title == "Apple")
        let members = try await items(
            ListQuestion(.bundled("members"), parent: organizations[0]),
            "/orgs/apple/members?per_page=100", #"[{"login": "ann", "id": 3, "site_admin": true}]"#)
        #expect(members.map(\.key) == [[.integer(10), .integer(3)]])
    }

    @Test(
        "followers, and accounts that are followed, belong to their user",
        arguments: ["followers", "following"])
    func followers(_ name: String) async throws {
        let body = #"[{"login": "ann", "id": 3}]"#
        let users = try await items(ListQuestion(.bundled("users")), "/users?per_page=100", body)
        let rows = try await items(
            ListQuestion(.bundled(name), parent: users[0]), "/users/ann/\(name)?per_page=100",
            #"[{"login": "bob", "id": 4}]"#)
        #expect(rows.map(\.key) == [[.integer(3), .integer(4)]])
    }
}
