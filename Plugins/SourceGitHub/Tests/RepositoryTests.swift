import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import SourceGitHub

@Suite("GitHub's JSON as repositories")
struct RepositoryTests {
    private func list(_ body: String, _ fields: [(String, String)] = []) async throws -> ItemPage {
        let feed = gitHubFeed(ScriptedNetworking(200, fields, body))
        return try #require(try await feed.page(.repos(of: "x")).value)
    }

    private func repository(_ body: String) async throws -> Repository {
        let fetched = try await gitHubFeed(ScriptedNetworking(200, [], body)).repo("o/n")
        return try #require(fetched.value).decoded(as: Repository.self)
    }

    static let minimal =
        #"{"id": 1, "name": "n", "full_name": "o/n", "private": false, "#
        + #""owner": {"id": 2, "login": "o", "type": "User"}}"#

    @Test("a row of all public repositories has no facts or details")
    func minimalRow() async throws {
        let row = try await list("[\(Self.minimal)]").items[0]
        #expect(!row.knowsDetail)
        var repository = Repository(id: 1, name: "n", fullName: "o/n", isPrivate: false)
        (repository.ownerID, repository.ownerLogin, repository.ownerType) = (2, "o", "User")
        repository.url = "https://api.github.com/repos/o/n"
        #expect(try row.decoded(as: Repository.self) == repository)
    }

    @Test("a row of a user's list has facts, and a single repository also details")
    func full() async throws {
        let facts = """
            "id": 7, "node_id": "N", "name": "n", "full_name": "o/n", "private": true, "fork": true,
            "owner": {"login": "o", "id": 2, "type": "Organization", "site_admin": false}, "html_url": "h",
            "description": "d", "url": "u", "homepage": "p", "language": "Swift", "default_branch": "main",
            "visibility": "internal", "stargazers_count": 1, "forks_count": 2, "open_issues_count": 3, "size": 4,
            "archived": true, "disabled": false, "is_template": true, "topics": ["a", "b-c"],
            "license": {"key": "mit", "spdx_id": "MIT"}, "has_issues": true, "has_wiki": false, "has_pages": true,
            "created_at": "2008-01-14T04:33:35Z", "updated_at": null, "pushed_at": "2008-01-14T04:33:36Z",
            "permissions": {"admin": false}
            """
        let detail = """
            "parent": {"id": 9, "full_name": "p/n", "owner": {}}, "source": {"full_name": "s/n"},
            "subscribers_count": 5, "network_count": 6
            """
        var expected = Repository(id: 7, name: "n", fullName: "o/n", nodeID: "N")
        (expected.ownerID, expected.ownerLogin, expected.ownerType) = (2, "o", "Organization")
        (expected.isPrivate, expected.isFork, expected.description) = (true, true, "d")
        (expected.url, expected.htmlURL) = ("u", "h")
        (expected.homepage, expected.language, expected.defaultBranch) = ("p", "Swift", "main")
        (expected.visibility, expected.stargazersCount, expected.forksCount) = ("internal", 1, 2)
        (expected.openIssuesCount, expected.size, expected.isArchived) = (3, 4, true)
        (expected.isDisabled, expected.isTemplate) = (false, true)
        (expected.topics, expected.license) = (["a", "b-c"], "MIT")
        (expected.hasIssues, expected.hasWiki, expected.hasPages) = (true, false, true)
        expected.createdAt = Timestamp(milliseconds: 1_200_285_215_000)
        expected.pushedAt = Timestamp(milliseconds: 1_200_285_216_000)
        let row = try await list("[{\(facts)}]").items[0]
        #expect(try row.decoded(as: Repository.self) == expected)
        #expect(!row.knows("parent", "source", "subscribers_count", "network_count"))
        (expected.parent, expected.source) = ("p/n", "s/n")
        (expected.subscribersCount, expected.networkCount) = (5, 6)
        #expect(try await repository("{\(facts), \(detail)}") == expected)
    }

    @Test("members that are missing in an API version, or null, are absent")
    func droppedMembers() async throws {
        let body = """
            {"id": 7, "name": "n", "owner": null, "full_name": "o/n", "stargazers_count": null, "license": null,
             "topics": null, "has_downloads": true, "master_branch": "old", "description": null}
            """
        var expected = Repository(id: 7, name: "n", fullName: "o/n", ownerLogin: "o")
        expected.url = "https://api.github.com/repos/o/n"
        #expect(try await repository(body) == expected)
    }

    @Test(
        "the error for an invalid repository names the member",
        arguments: [
            (#"[{"id": 1, "name": 2}]"#, "[0].name: expected a string, found a number"),
            (#"[{"id": 1, "name": "n"}]"#, "[0].full_name: expected a text, found none"),
            (
                #"[{"id": 1, "owner": {"id": "x"}}]"#,
                "[0].owner.id: expected a whole number, found a string; ids that are texts need the type \"text\""
            ),
            (#"{"message": "x"}"#, "expected an array, found an object"),
        ])
    func faults(_ body: String, _ problem: String) async {
        let error = await fault { try await list(body) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.message.hasSuffix("it is not a list of repositories: " + problem) == true)
    }

    @Test(
        "the lists' addresses",
        arguments: [
            (ListQuestion.repos(of: "a/b"), "/users/a%2Fb/repos?per_page=100"),
            (.repos(ofOrganization: "o"), "/orgs/o/repos?per_page=100"),
            (.publicRepos, "/repositories"),
        ])
    func addresses(_ list: ListQuestion, _ path: String) async throws {
        let networking = ScriptedNetworking()
        _ = try await gitHubFeed(networking).page(list)
        #expect(networking.request?.path == path)
    }

    @Test("a repository is found by name")
    func single() async throws {
        let networking = ScriptedNetworking(200, [], Self.minimal)
        let feed = gitHubFeed(networking)
        _ = try await feed.repo("o/n")
        #expect(networking.request?.path == "/repos/o/n")
        let error = await fault { try await feed.repo("../n") }
        #expect(
            error?.message == "\"..\" cannot be an owner, because it has another meaning in an address")
    }

    @Test("the next page may have another path, and the last one gives the page count")
    func paging() async throws {
        let link = """
            <https://api.github.com/user/1958953/repos?per_page=1&page=6>; rel="last", \
            <https://api.github.com/user/1958953/repos?per_page=1&page=2>; rel="next"
            """
        let page = try await list("[\(Self.minimal)]", [("Link", link)])
        #expect(page.next == "https://api.github.com/user/1958953/repos?per_page=1&page=2")
        #expect(page.pageCount == 6)
        let networking = ScriptedNetworking(200, [], "[\(Self.minimal)]")
        let next = try await gitHubFeed(networking).page(.repos(of: "x"), next: page.next)
        #expect(networking.request?.path == "/user/1958953/repos?per_page=1&page=2")
        #expect(next.value?.isFull == true)
    }

    @Test(
        "only owner/name is accepted",
        arguments: ["o/n", "o", "/n", "o/", "a/b/c", "o/../n", ""])
    func names(_ text: String) async {
        let networking = ScriptedNetworking(200, [], Self.minimal)
        let error = await fault { try await gitHubFeed(networking).repo(text) }
        #expect(error?.code == (text == "o/n" ? nil : .invalidValue))
        #expect(networking.sent.map(\.path) == (text == "o/n" ? ["/repos/o/n"] : []))
    }
}
