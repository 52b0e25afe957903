import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceREST
import Testing

@testable import SourceGitHub

@Suite("GitHub's JSON as commits")
struct CommitTests {
    private static let sha = String(repeating: "1c", count: 20)
    private static let parent = String(repeating: "e4", count: 20)

    private func commits(_ status: Int = 200, _ body: String) async throws -> ItemPage {
        let networking = ScriptedNetworking(status, [], body)
        let fetched = try await gitHubFeed(networking).page(.commits(owner: "o", name: "n"))
        #expect(networking.request?.path == "/repos/o/n/commits?per_page=100")
        return try #require(fetched.value)
    }

    @Test("the commits of a repository have not changed since it was last pushed to")
    func changed() {
        let commits = BundledDefinition.github.definition.resource(named: "commits")
        #expect(commits?.changedAt == "pushed_at")
    }

    @Test("a commit has its fields and the accounts that GitHub found")
    func full() async throws {
        let body = """
            [{"sha": "\(Self.sha)", "node_id": "N", "html_url": "h",
              "parents": [{"sha": "\(Self.parent)", "url": "u"}],
              "author": {"login": "ann", "id": 5, "name": "not this"}, "committer": null,
              "commit": {"message": "fix\\n\\nall", "tree": {"sha": "t"}, "comment_count": 2,
                "author": {"name": "Ann", "email": "a@x", "date": "2012-05-25T07:54:42-07:00"},
                "committer": {"name": "Bob", "email": "b@x", "date": "2012-05-25T14:54:43Z"},
                "verification": {"verified": true, "reason": "valid", "signature": "s"}}}]
            """
        var commit = Commit(repositoryID: 1, sha: Self.sha)
        (commit.message, commit.parents) = ("fix\n\nall", [Self.parent])
        (commit.nodeID, commit.htmlURL, commit.tree, commit.commentCount) = ("N", "h", "t", 2)
        (commit.isVerified, commit.verificationReason) = (true, "valid")
        (commit.authorName, commit.authorEmail, commit.authorID) = ("Ann", "a@x", 5)
        (commit.authorLogin, commit.committerName, commit.committerEmail) = ("ann", "Bob", "b@x")
        commit.authorDate = Timestamp(milliseconds: 1_337_957_682_000)
        commit.committerDate = Timestamp(milliseconds: 1_337_957_683_000)
        #expect(try await commits(200, body).decoded(as: Commit.self) == [commit])
    }

    @Test("a commit may have almost no fields")
    func least() async throws {
        let body = #"[{"sha": "\#(Self.sha)", "author": {}, "commit": null, "parents": null}]"#
        let commit = Commit(repositoryID: 1, sha: Self.sha)
        #expect(try await commits(200, body).decoded(as: Commit.self) == [commit])
    }

    @Test("an empty repository has no commits")
    func emptyRepository() async throws {
        let page = try await commits(409, #"{"message": "Git Repository is empty."}"#)
        #expect(page.isEnd)
    }

    @Test("another 409 is an error")
    func conflict() async {
        let error = await fault { try await commits(409, #"{"message": "Conflict"}"#) }
        #expect(error?.code == .invalidResponse)
    }
}
