import CPlatform
import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

@Suite(
    "feeds over recordings of real exchanges",
    .enabled(
        if: unsafe access(sharedRecordings, R_OK) == 0, "needs the shared recordings; set PATCHBAY_SHARED")
)
struct SharedFeedTests {
    private func feed(_ file: String) throws -> any ResourceFeed {
        gitHubFeed(try Recording.open("\(sharedRecordings)/\(file).har"))
    }

    /// Returns every page of a list, following its links as far as they were recorded.
    private func pages(_ file: String, _ question: ListQuestion) async throws -> [ItemPage] {
        let feed = try feed(file)
        var pages: [ItemPage] = []
        repeat {
            do {
                let fetched = try await feed.page(question, next: pages.last?.next)
                pages.append(try #require(fetched.value))
            } catch let error as PatchbayError where error.code == .unsupported && !pages.isEmpty {
                return pages
            }
        } while pages.last?.next != nil
        return pages
    }

    @Test("169 repositories of a user on six pages of two paths")
    func userRepositories() async throws {
        let pages = try await pages("user_repos_bitwiseman_2019", .repos(of: "bitwiseman"))
        #expect(pages.map(\.items.count) == [30, 30, 30, 30, 30, 19])
        #expect(pages.map(\.pageCount) == [6, 6, 6, 6, 6, nil])
        let all = try pages.flatMap { try $0.decoded(as: Repository.self) }
        #expect(Set(all.map(\.id)).count == 169)
        #expect(all.allSatisfy { $0.ownerID == 1_958_953 && $0.createdAt != nil })
        let details = ["subscribers_count", "network_count", "parent", "source"]
        #expect(!pages.flatMap(\.items).contains { item in details.contains { item.knows($0) } })
    }

    @Test("all public repositories continue after the last id, on two pages")
    func publicRepositories() async throws {
        let pages = try await pages("public_repositories_2019", .publicRepos)
        #expect(pages.map(\.items.count) == [100, 100])
        let details = pages.flatMap(\.items).filter { $0.knowsDetail }
        #expect(details.isEmpty)
    }

    @Test("an organization's repositories of 2014")
    func organizationRepositories() async throws {
        let pages = try await pages("org_repos_2014_2016", .repos(ofOrganization: "rails"))
        #expect(pages.map(\.items.count) == [30])
        #expect(pages[0].pageCount == 3)
    }

    @Test("commits of 2012 on pages by cursor")
    func commits() async throws {
        let pages = try await pages(
            "commits_pygithub_2012", .commits(owner: "PyGithub", name: "PyGithub"))
        #expect(pages.map(\.items.count) == [30, 30, 30])
        let all = try pages.flatMap { try $0.decoded(as: Commit.self) }
        #expect(all.allSatisfy { $0.committerDate != nil && $0.message?.isEmpty == false })
    }

    @Test("648 commits on seven pages, the later ones under the repository's id")
    func manyCommits() async throws {
        let feed = try feed("commits_jenkins_2021")
        let start =
            "https://api.github.com/repos/jenkinsci/jenkins/commits?path=pom.xml&per_page=100"
            + "&author=kohsuke%4071c3de6d-444a-0410-be80-ed276b4c234a"
        var all: [Commit] = []
        var next: String? = start
        while let link = next {
            let page = try #require(try await feed.page(.commits(), next: link).value)
            all += try page.decoded(as: Commit.self)
            next = page.next
        }
        #expect(all.count == 648)
        #expect(Set(all.map(\.sha)).count == 648)
    }

    @Test("searches report their total number")
    func searches() async throws {
        let found = try await feed("search_users").page(.users(with: "location:Berlin")).value
        #expect(found?.items.count == 30)
        #expect(found?.pageCount == 34)
        #expect((found?.total ?? 0) > 1_000)
        let link = "https://api.github.com/search/repositories?sort=stars&q=tetris+language%3Aassembly"
        let repos = try await feed("search_repositories").page(.repos(with: "tetris"), next: link).value
        #expect(repos?.items.count == 30)
    }

    @Test("the layer below follows a repository that moved to its id")
    func moved() async throws {
        let feed = try feed("errors_and_redirects")
        let error = await fault { try await feed.repo("sigmavirus24/charade") }
        #expect(error?.code == .invalidResponse)
        // The target of the redirect; a single row is a page of one.
        let link = "https://api.github.com/repositories/6895566"
        let moved = try await feed.page(.repos(of: "sigmavirus24"), next: link).value
        #expect(moved?.ids == [6_895_566])
        let denied = await fault { try await feed.repo("jacquev6/Xxx") }
        #expect(denied?.code == .notFound)
    }
}
