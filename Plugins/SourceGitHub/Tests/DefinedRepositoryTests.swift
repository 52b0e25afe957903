import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite("by definition: GitHub's JSON as repositories")
struct DefinedRepositoryTests {
    private func source(_ networking: ScriptedNetworking) throws -> any RepositorySource {
        try #require(SourceAPI.defined.open(networking, "https://api.github.com").repositories)
    }

    private func list(
        _ body: String, _ fields: [(String, String)] = []
    ) async throws -> Page<Repository> {
        let networking = ScriptedNetworking(200, fields, body)
        let fetched = try await source(networking).repositories(
            .first(.ofUser("x")), ifChangedFrom: Validator())
        return try #require(fetched.value)
    }

    private func repository(_ body: String) async throws -> Repository {
        let networking = ScriptedNetworking(200, [], body)
        let fetched = try await source(networking).repository(
            .named(owner: "o", name: "n"), ifChangedFrom: Validator())
        return try #require(fetched.value)
    }

    static let minimal =
        #"{"id": 1, "name": "n", "full_name": "o/n", "private": false, "#
        + #""owner": {"id": 2, "login": "o", "type": "User"}}"#

    @Test("a row of all public repositories has no facts and no detail")
    func minimalRow() async throws {
        let row = try await list("[\(Self.minimal)]").items[0]
        #expect(row.facts == nil && row.detail == nil)
        #expect(row.fullName == "o/n" && row.owner == .init(id: 2, login: "o", type: "User"))
        #expect(row.url == "https://api.github.com/repos/o/n")
    }

    @Test("a row of a user's list has facts, a single repository its detail, too")
    func full() async throws {
        let body = """
            {"id": 7, "node_id": "N", "name": "n", "full_name": "o/n", "private": true, "fork": true,
             "owner": {"login": "o", "id": 2, "type": "Organization", "site_admin": false}, "html_url": "h",
             "description": "d", "url": "u", "homepage": "p", "language": "Swift", "default_branch": "main",
             "visibility": "internal", "stargazers_count": 1, "forks_count": 2, "open_issues_count": 3, "size": 4,
             "archived": true, "disabled": false, "is_template": true, "topics": ["a", "b-c"],
             "license": {"key": "mit", "spdx_id": "MIT"}, "has_issues": true, "has_wiki": false, "has_pages": true,
             "created_at": "2008-01-14T04:33:35Z", "updated_at": null, "pushed_at": "2008-01-14T04:33:36Z",
             "parent": {"id": 9, "full_name": "p/n", "owner": {}}, "source": {"full_name": "s/n"},
             "subscribers_count": 5, "network_count": 6, "permissions": {"admin": false}}
            """
        var facts = Repository.Facts()
        (facts.homepage, facts.language, facts.defaultBranch) = ("p", "Swift", "main")
        (facts.visibility, facts.stargazers, facts.forks, facts.openIssues) = ("internal", 1, 2, 3)
        (facts.size, facts.isArchived, facts.isDisabled, facts.isTemplate) = (4, true, false, true)
        (facts.topics, facts.license) = (["a", "b-c"], "MIT")
        (facts.hasIssues, facts.hasWiki, facts.hasPages) = (true, false, true)
        facts.createdAt = Timestamp(milliseconds: 1_200_285_215_000)
        facts.pushedAt = Timestamp(milliseconds: 1_200_285_216_000)
        var detail = Repository.Detail()
        (detail.parent, detail.source, detail.subscribers, detail.network) = ("p/n", "s/n", 5, 6)
        let single = try await repository(body)
        #expect(single.facts == facts && single.detail == detail)
        #expect(single.isPrivate && single.isFork && single.description == "d" && single.htmlURL == "h")
        let row = try await list("[\(body)]").items[0]
        #expect(row.facts == facts && row.detail == nil)
    }

    @Test("semantics-2: members that an API version left out, or that are null, are absent")
    func droppedMembers() async throws {
        let body = """
            {"id": 7, "name": "n", "owner": null, "full_name": "o/n", "stargazers_count": null, "license": null,
             "topics": null, "has_downloads": true, "master_branch": "old", "description": null}
            """
        let repository = try await repository(body)
        #expect(repository.owner.login == "o")
        #expect(repository.facts == Repository.Facts())
    }

    @Test(
        "what is no repository names the member",
        arguments: [
            (#"[{"id": 1, "name": 2}]"#, "[0].name: expected a string, found a number"),
            (#"[{"id": 1, "name": "n"}]"#, "[0].full_name: expected a text, found none"),
            (#"[{"id": 1, "owner": {"id": "x"}}]"#, "[0].owner.id: expected a whole number, found a string"),
            (#"{"message": "x"}"#, "expected an array, found an object"),
        ])
    func faults(_ body: String, _ problem: String) async {
        let error = await fault { try await list(body) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.message.hasSuffix("it is not a list of repositories: " + problem) == true)
    }

    @Test(
        "semantics-6, 9, 11: the lists' addresses",
        arguments: [
            (RepositoryList.ofUser("a/b"), "/users/a%2Fb/repos?per_page=100"),
            (.ofOrganization("o"), "/orgs/o/repos?per_page=100"),
            (.allPublic(after: 0), "/repositories"),
        ])
    func addresses(_ list: RepositoryList, _ path: String) async throws {
        let networking = ScriptedNetworking()
        _ = try await source(networking).repositories(.first(list), ifChangedFrom: Validator())
        #expect(networking.request?.path == path)
    }

    @Test("a repository is found by name")
    func single() async throws {
        let networking = ScriptedNetworking(200, [], Self.minimal)
        let source = try source(networking)
        _ = try await source.repository(.named(owner: "o", name: "n"), ifChangedFrom: Validator())
        #expect(networking.request?.path == "/repos/o/n")
        let error = await fault {
            try await source.repository(.named(owner: "..", name: "n"), ifChangedFrom: Validator())
        }
        #expect(error?.message == "\"..\" cannot be an owner; give 1 to 255 bytes")
    }

    @Test("semantics-8: the next page may have another path; the last tells how many there are")
    func paging() async throws {
        let link = """
            <https://api.github.com/user/1958953/repos?per_page=1&page=6>; rel="last", \
            <https://api.github.com/user/1958953/repos?per_page=1&page=2>; rel="next"
            """
        let page = try await list("[\(Self.minimal)]", [("Link", link)])
        #expect(page.next == "https://api.github.com/user/1958953/repos?per_page=1&page=2")
        #expect(page.pageCount == 6)
        let networking = ScriptedNetworking(200, [], "[\(Self.minimal)]")
        let next = try await source(networking).repositories(
            .next(try #require(page.next)), ifChangedFrom: Validator())
        #expect(networking.request?.path == "/user/1958953/repos?per_page=1&page=2")
        #expect(next.value?.isFull == true)
    }
}
