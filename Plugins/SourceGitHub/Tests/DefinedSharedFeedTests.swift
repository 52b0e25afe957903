import NetworkingRecording
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceGitHub
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

@Suite(
    "by definition: feeds over recordings of real exchanges",
    .enabled(if: access(sharedRecordings, R_OK) == 0, "there are no shared recordings; set PATCHBAY_SHARED"))
struct DefinedSharedFeedTests {
    private func source(_ file: String) throws -> Source {
        SourceAPI.defined.open(
            try Recording.open("\(sharedRecordings)/\(file).har"), "https://api.github.com")
    }

    /// Every page of a list, following its links.
    private func pages<First, Item>(
        _ first: First, _ ask: (PageRequest<First>) async throws -> Fetched<Page<Item>>
    ) async throws -> [Page<Item>] {
        var pages: [Page<Item>] = []
        var request = PageRequest.first(first)
        while true {
            do {
                let page = try #require(try await ask(request).value)
                pages.append(page)
                guard let next = page.next else { return pages }
                request = .next(next)
            } catch let error as PatchbayError where error.code == .unsupported && !pages.isEmpty {
                return pages
            }
        }
    }

    @Test("semantics-8: 169 repositories of a user on six pages of two paths")
    func userRepositories() async throws {
        let source = try #require(try source("user_repos_bitwiseman_2019").repositories)
        let pages = try await pages(RepositoryList.ofUser("bitwiseman")) {
            try await source.repositories($0, ifChangedFrom: Validator())
        }
        #expect(pages.map(\.items.count) == [30, 30, 30, 30, 30, 19])
        #expect(pages.map(\.pageCount) == [6, 6, 6, 6, 6, nil])
        let all = pages.flatMap(\.items)
        #expect(Set(all.map(\.id)).count == 169)
        #expect(all.allSatisfy { $0.owner.id == 1_958_953 && $0.facts?.createdAt != nil && $0.detail == nil })
    }

    @Test("semantics-9: all public repositories go on behind the last id, on two pages")
    func publicRepositories() async throws {
        let source = try #require(try source("public_repositories_2019").repositories)
        let pages = try await pages(RepositoryList.allPublic(after: 0)) {
            try await source.repositories($0, ifChangedFrom: Validator())
        }
        #expect(pages.map(\.items.count) == [100, 100])
        #expect(pages.flatMap(\.items).allSatisfy { $0.facts == nil })
    }

    @Test("an organization's repositories of 2014")
    func organizationRepositories() async throws {
        let source = try #require(try source("org_repos_2014_2016").repositories)
        let pages = try await pages(RepositoryList.ofOrganization("rails")) {
            try await source.repositories($0, ifChangedFrom: Validator())
        }
        #expect(pages.map(\.items.count) == [30])
        #expect(pages[0].pageCount == 3)
    }

    @Test("semantics-8: commits of 2012 on pages by cursor")
    func commits() async throws {
        let source = try #require(try source("commits_pygithub_2012").commits)
        let pages = try await pages(RepositoryName.named(owner: "PyGithub", name: "PyGithub")) {
            try await source.commits($0, ifChangedFrom: Validator())
        }
        #expect(pages.map(\.items.count) == [30, 30, 30])
        let all = pages.flatMap(\.items)
        #expect(all.allSatisfy { $0.committer.date != nil && !$0.message.isEmpty })
    }

    @Test("semantics-8: 648 commits on seven pages, the later ones under the repository's id")
    func manyCommits() async throws {
        let source = try #require(try source("commits_jenkins_2021").commits)
        let start =
            "https://api.github.com/repos/jenkinsci/jenkins/commits?path=pom.xml&per_page=100"
            + "&author=kohsuke%4071c3de6d-444a-0410-be80-ed276b4c234a"
        var all: [Commit] = []
        var next: String? = start
        while let link = next {
            let fetched = try await source.commits(.next(link), ifChangedFrom: Validator())
            let page = try #require(fetched.value)
            all += page.items
            next = page.next
        }
        #expect(all.count == 648)
        #expect(Set(all.map(\.sha)).count == 648)
    }

    @Test("semantics-25: searches tell how many there are")
    func searches() async throws {
        let found = try await source("search_users").userSearch?.searchUsers(
            .first("location:Berlin"), ifChangedFrom: Validator())
        #expect(found?.value?.page.items.count == 30)
        #expect(found?.value?.page.pageCount == 34)
        #expect((found?.value?.total ?? 0) > 1_000)
        let link = "https://api.github.com/search/repositories?sort=stars&q=tetris+language%3Aassembly"
        let repositories = try await source("search_repositories").repositorySearch?.searchRepositories(
            .next(link), ifChangedFrom: Validator())
        #expect(repositories?.value?.page.items.count == 30)
    }

    @Test("semantics-26: a repository that moved is followed to its id by the layer below")
    func moved() async throws {
        let source = try #require(try source("errors_and_redirects").repositories)
        let name = RepositoryName.named(owner: "sigmavirus24", name: "charade")
        let error = await fault { try await source.repository(name, ifChangedFrom: Validator()) }
        #expect(error?.code == .invalidResponse)
        let missing = RepositoryName.named(owner: "jacquev6", name: "Xxx")
        let denied = await fault { try await source.repository(missing, ifChangedFrom: Validator()) }
        #expect(denied?.code == .notFound)
    }
}
