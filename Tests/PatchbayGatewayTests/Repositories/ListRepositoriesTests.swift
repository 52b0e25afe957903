import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Listing repositories and commits")
struct ListRepositoriesTests {
    private let octocat = RepositoryList.ofUser("octocat")

    @Test("as many pages are fetched as the window needs, and the next time only confirmed")
    func window() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        let first = await gateway.listRepositories(octocat, limit: 30).all
        #expect(first.map(\.outcome.word) == ["fresh"])
        #expect(first[0].value?.repositories.map(\.id) == Array(1...30))
        #expect(first[0].value?.goesOn == true)
        let second = await gateway.listRepositories(octocat, limit: 30).all
        #expect(second.map(\.outcome.word) == ["stored", "unchanged"])
        let pages = ["repositories of octocat", "repositories of octocat page 2"]
        #expect(fixture.repositories.answers.requests == pages + pages.map { $0 + " if changed" })
    }

    @Test("a batch asks for nothing but the pages that it lies in, the next one when it is wanted")
    func batches() async throws {
        let fixture = SyncFixture(repositories: 1...45)
        let gateway = try await fixture.gateway()
        let requests = { fixture.repositories.answers.requests.count }
        var asked: [Int] = [], seen: [Int64] = []
        for skipped in stride(from: 0, through: 40, by: 10) {
            let before = requests()
            let answer = await gateway.listRepositories(octocat, behind: skipped, limit: 10).ending
            seen += answer.value?.repositories.map(\.id) ?? []
            #expect(answer.value?.goesOn == (skipped < 40))
            asked.append(requests() - before)
        }
        #expect(seen == Array(1...45))
        #expect(asked == [1, 1, 1, 1, 1])
        let pages = ["", "", " page 2", " page 2", " page 3"].map { "repositories of octocat" + $0 }
        #expect(
            fixture.repositories.answers.requests.map { $0.replacing(" if changed", with: "") } == pages)
        let offline = await gateway.listRepositories(octocat, behind: 40, limit: 10, policy: .localOnly).all
        #expect(offline.last?.value?.repositories.map(\.id) == Array(41...45))
        let behind = await gateway.listRepositories(octocat, behind: 60, limit: 10).all
        #expect(behind.last?.value?.repositories.isEmpty == true && behind.last?.value?.goesOn == false)
    }

    @Test("a batch in the middle of an unknown list fetches the pages before it, too")
    func jump() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        let answer = await gateway.listRepositories(octocat, behind: 30, limit: 10).ending
        #expect(answer.value?.repositories.map(\.id) == Array(31...40))
        #expect(fixture.repositories.answers.requests.count == 2)
        let unknown = await gateway.listRepositories(octocat, behind: 40, limit: 1, policy: .localOnly).all
        #expect(unknown.map(\.outcome.word) == ["local only"] && unknown[0].value == nil)
    }

    @Test("at the end of the list the window says so, and what the list lacks is gone")
    func end() async throws {
        let fixture = SyncFixture(repositories: 1...25)
        let gateway = try await fixture.gateway()
        let all = await gateway.listRepositories(octocat, limit: 100).all
        #expect(all.last?.value?.repositories.count == 25 && all.last?.value?.goesOn == false)
        fixture.repositories.change { $0.removeAll { $0.id == 7 } }
        let rest = await gateway.listRepositories(octocat, limit: 100).all
        #expect(rest.last?.value?.repositories.map(\.id) == Array(1...6) + Array(8...25))
        #expect(
            try await fixture.stored(StoredRepository.self).first { $0.repository.id == 7 }?.goneAt != nil)
    }

    @Test("a list leaves the cursor of an interrupted sync where it is")
    func cursor() async throws {
        let fixture = SyncFixture()
        _ = try await fixture.gateway().syncRepositories(octocat, maximumRequests: 2).run()
        let runs = try await fixture.stored(StoredListRun.self)
        _ = await (try await fixture.gateway()).listRepositories(octocat, limit: 1).all
        #expect(try await fixture.stored(StoredListRun.self) == runs)
    }

    @Test("offline nothing is asked; a failing source leaves what is stored")
    func withoutSource() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        let nothing = await gateway.listRepositories(octocat, policy: .localOnly).all
        #expect(nothing.map(\.outcome.word) == ["local only"] && nothing[0].value == nil)
        #expect(fixture.repositories.answers.requests.isEmpty)
        _ = await gateway.listRepositories(octocat, limit: 20).all
        fixture.repositories.answers.fail(with: PatchbayError(.offline, "no route"))
        let answers = await gateway.listRepositories(octocat, limit: 20, policy: .refresh).all
        #expect(answers.map(\.outcome.word) == ["failed: offline"])
        #expect(answers[0].value?.repositories.count == 20)
    }

    @Test("commits come newest first; the repository that nobody knows yet is fetched before")
    func commits() async throws {
        let fixture = SyncFixture(commits: [7: ScriptedRepositorySource.commits(50)])
        let gateway = try await fixture.gateway()
        let name = try #require(RepositoryName("octocat/r-7"))
        let answer = try #require(await gateway.listCommits(name, limit: 30).all.last)
        #expect(answer.value?.repositoryID == 7 && answer.value?.goesOn == true)
        #expect(answer.value?.commits.first?.message == "change 50")
        #expect(answer.value?.commits.count == 30)
        #expect(
            fixture.repositories.answers.requests == [
                "repository octocat/r-7", "commits of octocat/r-7", "commits of octocat/r-7 page 2",
            ])
        let again = await gateway.listCommits(name, limit: 30).all
        #expect(again.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(again.last?.value?.commits == answer.value?.commits)
    }

    @Test("a repository without commits has an empty list, which is stored as such")
    func empty() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        let name = try #require(RepositoryName("octocat/r-7"))
        #expect(await gateway.listCommits(name).all.last?.value?.commits.isEmpty == true)
        let offline = await gateway.listCommits(name, policy: .localOnly).all
        #expect(offline.last?.value?.commits.isEmpty == true)
    }
}
