import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Syncing repositories and commits")
struct SyncRepositoriesTests {
    private let octocat = RepositoryList.ofUser("octocat")

    @Test("semantics-7: the pages of a list are followed by their links, and counted as the source says")
    func first() async throws {
        let fixture = SyncFixture()
        let events = try await fixture.gateway().syncRepositories(octocat).all
        let progress = events.compactMap { if case .saved(let progress) = $0 { progress } else { nil } }
        #expect(progress.map(\.rows) == [20, 40, 50])
        #expect(progress.map(\.pageCount) == [3, 3, 3])
        #expect(
            progress.map(\.next) == ["repositories of octocat page 2", "repositories of octocat page 3", nil])
        #expect(try await fixture.stored(StoredRepository.self).count == 50)
    }

    @Test("interrupted, it goes on at the link; the plan says what is left")
    func resumed() async throws {
        let fixture = SyncFixture()
        _ = try await fixture.gateway().syncRepositories(octocat, maximumRequests: 1).run()
        let plan = try await fixture.gateway().syncRepositories(octocat).plan()
        #expect(plan.pagesDone == 1 && plan.requestsMin == 2 && plan.requestsMax == 2)
        let (end, _) = try await fixture.gateway().syncRepositories(.ofUser("OctoCat")).run()
        #expect(end.word == "complete")
        #expect(
            fixture.repositories.answers.requests == [
                "repositories of octocat", "repositories of octocat page 2", "repositories of octocat page 3",
            ])
    }

    @Test(
        "a number of pages that no list has says nothing",
        arguments: [(Int64.min, nil), (-1, nil), (0, nil), (.max, nil), (3, 2)] as [(Int64, Int?)])
    func pageCounts(_ told: Int64, _ left: Int?) async throws {
        var source = Source(name: "scripted")
        source.repositories = OnePageSource(pageCount: told)
        let gateway = try await Gateway(storage: MemoryStorage(), source: source, now: ManualClock().now)
        let (end, progress) = await gateway.syncRepositories(octocat).run()
        #expect(end.word == "failed: offline" && progress.pageCount == left.map { Int64($0) + 1 })
        let plan = try await gateway.syncRepositories(octocat).plan()
        #expect(plan.requestsMin == left ?? 1 && plan.requestsMax == left)
    }

    /// A list whose first page says how many there are, and whose second cannot be had.
    private struct OnePageSource: RepositorySource {
        let pageCount: Int64

        func repositories(
            _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
        ) async throws -> Fetched<Page<Repository>> {
            guard case .first = page else { throw PatchbayError(.offline, "the network is down") }
            let items = ScriptedRepositorySource.repositories(1...2)
            return .changed(Page(items, next: "2", pageCount: pageCount), Validator())
        }

        func repository(
            _ name: RepositoryName, ifChangedFrom validator: Validator
        ) async throws -> Fetched<Repository> { throw PatchbayError(.notFound, "there is none") }
    }

    @Test("semantics-13, 29: a second run is told \"unchanged\" page by page and follows the stored links")
    func secondRun() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        _ = await gateway.syncRepositories(octocat).run()
        let (end, progress) = await gateway.syncRepositories(octocat).run()
        #expect(end.word == "complete" && progress.unchanged == 3 && progress.rows == 50)
        #expect(fixture.repositories.answers.requests.suffix(3).allSatisfy { $0.hasSuffix(" if changed") })
    }

    @Test("semantics-17: a full last page is asked for unconditionally")
    func fullLastPage() async throws {
        let fixture = SyncFixture(repositories: 1...40)
        let gateway = try await fixture.gateway()
        _ = await gateway.syncRepositories(octocat).run()
        fixture.repositories.change { $0 += ScriptedRepositorySource.repositories(41...45) }
        let (_, progress) = await gateway.syncRepositories(octocat).run()
        #expect(progress.rows == 45)
        let last = Array(fixture.repositories.answers.requests.suffix(2))
        #expect(last == ["repositories of octocat page 2", "repositories of octocat page 3"])
    }

    @Test("public repositories that the list no longer holds are marked; private ones are not")
    func unlisted() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        fixture.repositories.change { $0[4].isPrivate = true }
        _ = await gateway.syncRepositories(octocat).run()
        fixture.repositories.change { $0.removeAll { [5, 6, 50].contains($0.id) } }
        _ = await gateway.syncRepositories(octocat).run()
        let stored = try await fixture.stored(StoredRepository.self)
        #expect(stored.count == 50)
        #expect(stored.filter { $0.goneAt != nil }.map(\.repository.id) == [6, 50])
    }

    @Test("a list that has become shorter forgets its pages behind the end")
    func shorter() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        _ = await gateway.syncRepositories(octocat).run()
        fixture.repositories.change { $0.removeAll { $0.id > 15 } }
        _ = await gateway.syncRepositories(octocat).run()
        #expect(try await fixture.stored(StoredListPage.self).map(\.position) == [0])
        #expect(try await gateway.syncRepositories(octocat).plan().requestsMax == 1)
    }

    @Test("semantics-26, 32: a rename updates the same row, a 404 marks it, a refusal is kept")
    func show() async throws {
        let fixture = SyncFixture(repositories: 1...3)
        let gateway = try await fixture.gateway()
        let name = RepositoryName.named(owner: "octocat", name: "r-2")
        let first = await gateway.showRepository(name).all
        #expect(first.map(\.outcome.word) == ["fresh"])
        #expect(await gateway.showRepository(name).all.map(\.outcome.word) == ["stored", "unchanged"])
        fixture.repositories.change { $0[1].fullName = "octocat/renamed" }
        let renamed = await gateway.showRepository(.named(owner: "octocat", name: "renamed")).all
        #expect(renamed.last?.value?.repository.id == 2)
        #expect(try await fixture.stored(StoredRepository.self).count == 1)
        let refusal = Refusal(.forbidden, reason: "no access")
        fixture.repositories.answers.fail(
            with: PatchbayError(.permissionDenied, "no", cause: refusal))
        let refused = await gateway.showRepository(.id(2)).all.last?.value
        #expect(refused?.refusal?.refusal == refusal && refused?.goneAt == nil)
        fixture.repositories.answers.fail(with: PatchbayError(.rateLimited, "not now"))
        #expect(await gateway.showRepository(.id(2)).all.last?.value?.goneAt == nil)
        fixture.repositories.answers.fail(with: nil)
        fixture.repositories.change { $0.removeAll { $0.id == 2 } }
        let gone = await gateway.showRepository(.id(2)).all.last
        #expect(
            gone?.value?.refusal?.refusal == Refusal(.missing) && gone?.outcome.word == "failed: not found")
        #expect(fixture.repositories.answers.requests.last == "repository 2")
    }

    @Test("commits are kept under their repository, which is fetched first when it is not known")
    func commits() async throws {
        let fixture = SyncFixture(commits: [7: ScriptedRepositorySource.commits(45)])
        let gateway = try await fixture.gateway()
        let name = RepositoryName.named(owner: "octocat", name: "r-7")
        #expect(try await gateway.syncCommits(name).plan().requestsMin == 2)
        let (end, progress) = await gateway.syncCommits(name).run()
        #expect(end.word == "complete" && progress.requests == 4)
        let stored = try await fixture.stored(StoredCommit.self)
        #expect(stored.count == 45 && stored.allSatisfy { $0.repositoryID == 7 })
        let newest = Query(
            StoredCommit.collection, by: StoredCommit.byDate, .equal([7]), order: .descending, limit: 1)
        let found = try await gateway.store.read { try $0.list(StoredCommit.self, newest) }
        #expect(found.map(\.commit.message) == ["change 45"])
        let (_, second) = await gateway.syncCommits(.id(7)).run()
        #expect(second.requests == 3)
    }

    @Test("a commit that is stored is not written again")
    func immutable() async throws {
        let fixture = SyncFixture(commits: [7: ScriptedRepositorySource.commits(15)])
        let gateway = try await fixture.gateway()
        _ = await gateway.syncCommits(.id(7)).run()
        let before = try await fixture.stored(StoredCommit.self)
        fixture.clock.advance(by: .seconds(60))
        fixture.repositories.changeCommits { $0[7] = ScriptedRepositorySource.commits(16) }
        _ = await gateway.syncCommits(.id(7)).run()
        let after = try await fixture.stored(StoredCommit.self)
        #expect(after.count == 16 && Array(after.prefix(15)) == before)
    }

    @Test("semantics-33: a repository without commits is complete with none")
    func noCommits() async throws {
        let fixture = SyncFixture()
        let (end, progress) = try await fixture.gateway().syncCommits(.id(7)).run()
        #expect(end.word == "complete" && progress.rows == 1)
        #expect(try await fixture.stored(StoredListRun.self).map(\.rows) == [0])
    }

    @Test("all public repositories are a list of nobody: nothing is marked")
    func allPublic() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        _ = await gateway.syncRepositories(octocat).run()
        fixture.repositories.change { $0.removeAll { $0.id == 7 } }
        let (end, _) = await gateway.syncRepositories(.allPublic(after: 0)).run()
        #expect(end.word == "complete")
        #expect(try await fixture.stored(StoredRepository.self).allSatisfy { $0.goneAt == nil })
    }
}
